# make demo and make test do everything on a fresh Debian 12 with a Swift toolchain.

RELEASE_FLAGS := -c release --static-swift-stdlib --scratch-path .build/release-static
RELEASE_BINARY := .build/release-static/release/pricewatch

PREFIX ?= /usr/local

.PHONY: help demo test build release bench lint format dependencies

help:
	@echo "make demo     watch a simulated market for a minute: no network, no key, no root"
	@echo "make test     run all tests"
	@echo "make release  build the optimised binary, $(RELEASE_BINARY)"
	@echo "make bench    measure it beside two references (C on SQLite, a plain Python script)"
	@echo "make lint     check the format of the sources; make format mends it"

demo: build
	.build/debug/pricewatch demo

# One after the other: the first are busy for many seconds, the second measure time on the wire, the third start
# processes, and on two cores they would make each other wait.
test: dependencies
	swift build --build-tests
	swift test --skip-build --filter 'MarketsTests|HistoryTests'
	swift test --skip-build --filter 'FeedsTests|MarketSimulatorTests'
	swift test --skip-build --filter 'pricewatchTests'

build: dependencies
	swift build --product pricewatch

release: dependencies
	swift build $(RELEASE_FLAGS) --product pricewatch

# Speed, as ratios against references in the same run. Wants 3 GB in $TMPDIR and some minutes.
bench: release
	swift build $(RELEASE_FLAGS) --product recording
	swift build $(RELEASE_FLAGS) --product decoding
	swift build $(RELEASE_FLAGS) --product judging
	Benchmarks/run .build/release-static/release

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks

# Debian's packages that the build links against and the tests call. Installed where they are missing, and said so.
DEBIAN_PACKAGES := libsqlite3-dev zlib1g-dev python3 openssl

dependencies:
	@missing=""; \
	for package in $(DEBIAN_PACKAGES); do \
		dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
		sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		echo "installing Debian's packages:$$missing"; \
		$$sudo apt-get update && $$sudo apt-get install --yes --no-install-recommends $$missing; \
	fi

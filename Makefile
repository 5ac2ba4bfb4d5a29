# SPDX-License-Identifier: GPL-2.0
# Targets for people; objects and flags are in Kbuild. "make help" lists them.

KVER   ?= $(shell uname -r)
KDIR   ?= /lib/modules/$(KVER)/build
# Debian's Python, which sees the packages that tests/setup installs.
PYTHON ?= /usr/bin/python3
PYTEST  = $(PYTHON) -m pytest -p no:cacheprovider
SUITE  ?= all
# Kernels of ours with the kernel's own checkers; compiled at their first use.
CHECKED_SUITES = debug debug-rt kcsan
# A kernel of KERNEL_DIR, for what boots guests; SUITE is then whose user space it gets.
IN_DIRECTORY = $(if $(KERNEL_DIR),LW_KERNEL_DIR=$(abspath $(KERNEL_DIR)) LW_KERNEL_SUITE=$(filter-out all,$(SUITE)))
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
# Of this version, as NEWS.md has it.
RELEASE_DAY = $(shell sed -n 's/^## $(VERSION) (\([-0-9]*\))$$/\1/p' NEWS.md)
DKMS_SRC = $(DESTDIR)/usr/src/dm-latency-weighted-$(VERSION)
DKMS_MODULE = -m dm-latency-weighted -v $(VERSION)
# Those with headers, unless one was named.
DKMS_KERNELS = $(if $(filter file,$(origin KVER)),$(notdir $(patsubst %/build,%,$(wildcard /lib/modules/*/build))),$(KVER))
# A path without a version, which a package's revision would not match.
GUARD_DIR = $(DESTDIR)/usr/lib/dm-latency-weighted
TOOLS_DIR = $(DESTDIR)/usr/share/dm-latency-weighted
# dm-lw's packages for Python, and its templates.
DM_LW = dm_lw $(addprefix dm_lw/,bench doctor history policies templates)
# Fedora's rpm has another since 42.
SBIN ?= /usr/sbin
MAN7_DIR = $(DESTDIR)/usr/share/man/man7
MAN8_DIR = $(DESTDIR)/usr/share/man/man8
COMPLETION_DIR = $(DESTDIR)/usr/share/bash-completion/completions
ZSH_SITE = $(if $(wildcard /etc/debian_version),vendor-completions,site-functions)
ZSH_DIR = $(DESTDIR)/usr/share/zsh/$(ZSH_SITE)
UDEV_DIR = $(DESTDIR)/usr/lib/udev/rules.d
INCLUDE_DIR = $(DESTDIR)/usr/include
# What is installed with dm-lw, as FILE:DIRECTORY; packages take what is written here.
TOOL_FILES = tools/dm-lw.8:$(MAN8_DIR) tools/completion/dm-lw:$(COMPLETION_DIR) tools/completion/_dm-lw:$(ZSH_DIR) \
	tools/udev/65-dm-latency-weighted.rules:$(UDEV_DIR) src/policy/lw_policy.h:$(INCLUDE_DIR)
before_colon = $(firstword $(subst :, ,$(1)))
after_colon = $(lastword $(subst :, ,$(1)))
# What a release consists of: all files of the repository.
RELEASED = .ci .gitignore CONTRIBUTING.md Kbuild LICENSE Makefile NEWS.md README.md SECURITY.md contrib debian dkms.conf \
	docs multipath.conf.d pytest.ini rpm src tests tools upstream
RELEASE = dm-latency-weighted-$(VERSION)

# A name with a space is two for make, for the kernel's build and for rpm: "rm -rf" and "clean" would reach other directories.
$(foreach name,CURDIR DESTDIR INSTALL_MOD_PATH KDIR KERNEL_DIR,$(if $(word 2,$($(name))),$(error \
	$(name) is "$($(name))": wanted a directory without a space in its name)))
# To make % is a pattern, to QEMU a comma ends a file's name.
comma := ,
$(foreach character,% $(comma),$(if $(findstring $(character),$(CURDIR)),$(error \
	CURDIR is "$(CURDIR)": wanted a directory without $(character) in its name)))

all: ## build the module for KVER (default: the running kernel)
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

install: ## install the module built by "make" (root)
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install
	depmod -b "$(INSTALL_MOD_PATH)/" $(KVER)

# What refuses to go while multipath is configured for it.
IF_UNUSED = @! tools/still-used || { \
	echo 'first "dm-lw disable", or change that and "multipathd reconfigure"' >&2; exit 1; }

uninstall: ## remove what "make install" installed (root)
	$(if $(INSTALL_MOD_PATH),,$(IF_UNUSED))
	rm -f $(INSTALL_MOD_PATH)/lib/modules/$(KVER)/updates/dm-latency-weighted.ko*
	depmod -b "$(INSTALL_MOD_PATH)/" $(KVER)

# Without what "make" compiled here: dkms would link it with what it compiles.
dkms-source:
	rm -rf $(DKMS_SRC)
	mkdir -p $(DKMS_SRC)
	tar -c --exclude='*.o' --exclude='.*' dkms.conf Kbuild src | tar -x --no-same-owner -C $(DKMS_SRC)

# What packages run before they take the module away.
guard-install:
	mkdir -p $(GUARD_DIR)
	install -m 755 tools/still-used tools/before-removal $(GUARD_DIR)

# The version is that of dkms.conf, which the module and this file read. What cannot read it there has to agree.
same-version:
	@grep -qxF 'VERSION = "$(VERSION)"' tools/dm_lw/version.py || { $(call disagrees,tools/dm_lw/version.py); }
	@set -e; for spec in rpm/*.spec; do \
		grep -qxE 'Version:[[:space:]]*$(subst .,[.],$(VERSION))' $$spec || { $(call disagrees,$$spec); }; \
		grep -m 1 '^\* ' $$spec | grep -qF -e ' - $(VERSION)-' || { $(call disagrees,%changelog of $$spec); }; \
	done
	@[ "$(RELEASE_DAY)" ] || { $(call disagrees,NEWS.md); }
	@case $$(head -n 1 debian/changelog) in *' ($(VERSION)-'*) ;; *) $(call disagrees,debian/changelog);; esac

disagrees = echo "$(1): not the version of dkms.conf, $(VERSION)" >&2; exit 1

# dkms leaves what it has of this version, though the source may be another now: hence --force. dkms 2 does
# so even then, and has to forget it first.
dkms-install: dkms-source ## build and install by dkms, for KVER or else for all kernels that can do multipath and have their headers here (root)
	@set -e; installed=; failed=; for kernel in $(DKMS_KERNELS); do \
		grep -qs '^CONFIG_DM_MULTIPATH=' /lib/modules/$$kernel/build/.config || continue; \
		echo "dkms: $$kernel"; \
		case "$$(dkms --version)" in dkms:*2.*) \
			dkms remove $(DKMS_MODULE) -k $$kernel >/dev/null 2>&1 || :;; esac; \
		if dkms build --force $(DKMS_MODULE) -k $$kernel && dkms install --force $(DKMS_MODULE) -k $$kernel; then \
			installed="$$installed $$kernel"; \
		else \
			failed="$$failed $$kernel"; \
		fi; \
	done; \
	[ -z "$$failed" ] || { echo "not for$$failed: see above; KVER=... names the kernels to install it for" >&2; exit 1; }; \
	[ "$$installed" ] || { echo "no headers of a kernel that can do multipath; wanted: $(or $(DKMS_KERNELS),$(KVER))" >&2; exit 1; }; \
	case "$$installed " in *" $(KVER) "*) ;; *) echo "not for $(KVER), whose headers are not here" >&2;; esac

# Also of versions that were installed before: dkms would compile them for the next kernel.
dkms-remove: ## undo dkms-install for all kernels (root)
	$(IF_UNUSED)
	@set -e; versions=$$(dkms status -m dm-latency-weighted | sed -n 's|^dm-latency-weighted[/,] *\([^,:]*\)[,:].*|\1|p' | sort -u); \
	[ "$$versions" ] || { echo "dkms does not know dm-latency-weighted" >&2; exit 1; }; \
	for version in $$versions; do \
		dkms remove -m dm-latency-weighted -v $$version --all; \
		rm -rf $(DESTDIR)/usr/src/dm-latency-weighted-$$version; \
	done

tools-install: same-version ## install dm-lw, man pages, completion, udev rule and header, below DESTDIR if set (root)
	install -d -m 755 $(TOOLS_DIR) $(addprefix $(TOOLS_DIR)/,$(DM_LW)) $(DESTDIR)$(SBIN) $(MAN7_DIR) \
		$(sort $(foreach each,$(TOOL_FILES),$(call after_colon,$(each))))
	install -m 755 tools/dm-lw $(TOOLS_DIR)
	set -e; for part in $(DM_LW); do install -m 644 tools/$$part/*.[pj]* $(TOOLS_DIR)/$$part; done
	ln -sfn ../share/dm-latency-weighted/dm-lw $(DESTDIR)$(SBIN)/dm-lw
	set -e; $(foreach each,$(TOOL_FILES),install -m 644 -t $(call after_colon,$(each)) $(call before_colon,$(each));)
	if command -v rst2man >/dev/null; then \
		umask 022 && tools/make-man7 >$(MAN7_DIR)/latency-weighted.7; \
	else \
		echo "latency-weighted(7) is left out: it needs rst2man (python3-docutils)" >&2; \
	fi

tools-uninstall: ## remove it (root)
	rm -f $(DESTDIR)$(SBIN)/dm-lw $(MAN7_DIR)/latency-weighted.7 $(foreach each,$(TOOL_FILES),$(call after_colon,$(each))/$(notdir $(call before_colon,$(each))))
	rm -rf $(TOOLS_DIR)

tables: ## write anew what documents, completion and dm-lw have from the tables of tunables and of values
	$(PYTHON) -B -m tools.tables

# Debian 12's shtab is too old for descriptions and zsh's functions.
completion: ## write the completion for bash and zsh anew, after options changed (needs pip and a network)
	[ -d build/shtab ] || $(PYTHON) -m pip install --quiet --target build/shtab shtab==1.13.0
	PYTHONPATH=build/shtab $(PYTHON) -B tools/completion/generate.py

# The same bytes whenever and wherever it is made: no name, right, time or order of this machine. Noon is what rpm makes
# of a day in a changelog.
dist: same-version ## the release's source, in build/packages: the same bytes on each machine
	mkdir -p build/packages
	tar -cf build/packages/$(RELEASE).tar --format=gnu --sort=name --numeric-owner --owner=0 --group=0 --mode=u=rwX,go=rX \
		--mtime='$(RELEASE_DAY) 00:00 UTC' --exclude-from=.gitignore --transform='s,^,$(RELEASE)/,' $(RELEASED)
	gzip -9nf build/packages/$(RELEASE).tar

# The source as dpkg wants it, in directory $(1), of a version with $(2) at its end, for the distribution $(3) if named.
debian_source = mkdir -p $(1) && cp build/packages/$(RELEASE).tar.gz $(1)/dm-latency-weighted_$(VERSION).orig.tar.gz && \
	tar -C $(1) -xzf build/packages/$(RELEASE).tar.gz && \
	sed -i -e '1s/)/$(2))/' $(if $(3),-e '1s/[^ ]*; urgency/$(3); urgency/') $(1)/$(RELEASE)/debian/changelog

deb: dist ## Debian packages and their source, in build/packages (needs debhelper, dh-sequence-dkms); REVISION=~bpo13+1 for a version with that at its end
	rm -rf build/deb
	$(call debian_source,build/deb,$(REVISION))
	cd build/deb/$(RELEASE) && dpkg-buildpackage --no-sign
	mv build/deb/dm-latency-weighted*_* build/packages

# Ubuntu's releases whose packages can be made of this source, by number and name: what a PPA takes.
UBUNTU = 22.04:jammy 24.04:noble
ppa: dist ## the source packages for a PPA of Ubuntu, in build/ppa; REVISION=2 for the second upload of a version
	rm -rf build/ppa
	set -e; $(foreach each,$(UBUNTU),$(call debian_source,build/ppa,~ubuntu$(call before_colon,$(each)).$(or $(REVISION),1),$(call \
		after_colon,$(each))); (cd build/ppa/$(RELEASE) && dpkg-buildpackage --no-sign --build=source); rm -r build/ppa/$(RELEASE);)

# On Debian, rpm knows of no package that would be needed: --nodeps. Not -ba: the packages would have a checksum of
# the source package, in whose header rpm writes the name of this directory.
RPMBUILD = rpmbuild --nodeps --define '_topdir $(CURDIR)/build/rpm' --define '_sourcedir $(CURDIR)/build/rpm' \
	--define '_buildhost localhost'
rpm-sources: dist
	rm -rf build/rpm
	install -D -m 644 -t build/rpm build/packages/$(RELEASE).tar.gz rpm/*.spec rpm/kmp-preamble

rpm: rpm-sources ## RPM packages for dkms and of the tools, their source and that of kmod and KMP, in build/packages (needs rpm-build; on Debian, rpm)
	$(RPMBUILD) -bb build/rpm/dm-latency-weighted.spec
	$(RPMBUILD) -bs build/rpm/dm-latency-weighted.spec
	$(RPMBUILD) -bs build/rpm/dm-latency-weighted-kmod.spec
	mv build/rpm/RPMS/noarch/*.rpm build/rpm/SRPMS/*.rpm build/packages

kmod-rpm: rpm-sources ## the module compiled, as a kmod for KVER (RHEL, Fedora) or as KMPs (SUSE), in build/packages; KEY=file CERTIFICATE=file signs it
	$(RPMBUILD) -bb --define 'kernel_release $(KVER)' \
		$(if $(KEY)$(CERTIFICATE),--define 'module_key $(KEY)' --define 'module_certificate $(CERTIFICATE)') \
		build/rpm/dm-latency-weighted-kmod.spec
	mv build/rpm/RPMS/*/*.rpm build/packages

upstream: ## the selector as patches for the kernel tree LINUX=dir, in build/upstream (OUT=dir); AUTHOR="A Name <address>" signs them off
	$(PYTHON) -m upstream $(LINUX) $(if $(OUT),--out $(OUT)) $(if $(AUTHOR),--author "$(AUTHOR)")

clean: ## remove what was built
	rm -rf build
	$(if $(wildcard $(KDIR)/Makefile),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)

setup: ## install the packages that demo and check need (root)
	tests/setup

demo: setup ## the main job in a disposable VM: table and picture (root)
	$(PYTHON) -m tests.bench.demo

# The guest trees first, two at a time: tests would ask for one after the other.
check: ## the tests, most of them on the newest of Debian's kernels, the essential on the others, as CI does (root); LIST=1 shows which guest tests run where
	$(if $(LIST),$(PYTHON) -m tests.vm matrix,export LW_STARTED=$$(date +%s) && tests/setup && \
		$(PYTHON) -m tests.vm build && $(PYTEST) tests --suite all)

check-full: setup ## all tests on all kernels, arm64 and those that check themselves included, and ten minutes of stress on each; a day; PART=n for one of its parts, LIST=1 lists them (root)
	$(PYTHON) -m tests.full $(if $(LIST),--list) $(PART)

unit: ## unit tests of the arithmetic, no root
	$(PYTEST) tests/unit

fuzz: setup ## hostile input for SECONDS=n (60), SEED=n for the same again
	$(PYTHON) -m tests.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

stress: setup ## everything at once in a guest: MINUTES=n (10), SEED=n for the same again, KERNEL=name or KERNEL_DIR=dir (root)
	$(IN_DIRECTORY) $(PYTHON) -m tests.stress $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) \
		$(addprefix --kernel ,$(if $(KERNEL_DIR),directory,$(KERNEL)))

check-kernel: ## compile for KVER, and ten lines on interface, proof and result: a row for docs/kernels.md; no root, no guest; LOAD=1 also loads the module for a moment, for two scratch paths (root)
	+@LOAD=$(LOAD) tests/check-kernel $(KDIR)

readme-kernels: ## write the table of kernels in README.md anew, after docs/kernels.md changed
	$(PYTHON) tests/build/readme_kernels.py

promises: ## write docs/promises.md anew, after a mark at a test changed (tests/README.md)
	$(PYTHON) tests/meta/promises.py

build-matrix: setup ## build, static checks and dkms on every kernel's headers; SUITE=arm64 for those of arm64 (root)
	$(PYTEST) tests/build --suite $(SUITE)

vm-test: setup ## functional tests in guests; SUITE=name for one kernel (debug, debug-rt, kcsan: with checkers; arm64: emulated), GROUP=mark for some tests, GROUP=long for the longest; KERNEL_DIR=dir for a kernel of any distribution (root)
	$(IN_DIRECTORY) $(PYTEST) $(if $(GROUP),tests/vm/test_guests.py --group $(GROUP),tests/vm) \
		$(if $(filter $(CHECKED_SUITES),$(SUITE)),tests/meta/test_checkers.py) --suite $(if $(KERNEL_DIR),directory,$(SUITE))

meta-test: setup ## tests of the test runner itself (root)
	$(PYTEST) tests/meta

acceptance: setup ## fio over all selectors, in many scenarios, with a report; QUICK=1 for eight of them, LONG=1 for those of a minute, FILE=path of your own, SELECTORS="a b" for some of them, REPEAT=n, ARGUMENT=by_operation=0, KERNEL_DIR=dir (root)
	$(IN_DIRECTORY) $(PYTHON) -m tests.bench.acceptance $(if $(KERNEL_DIR),--kernel directory) $(if $(QUICK),--quick) $(if $(LONG),--long) $(addprefix --file ,$(FILE)) \
		$(addprefix --selector ,$(SELECTORS)) $(addprefix --repeat ,$(REPEAT)) \
		$(addprefix --argument ,$(ARGUMENT))

bench-exact: setup ## selectors side by side in virtual time, on the test disk (root)
	$(PYTHON) -m tests.bench.exact

cost: setup ## what an I/O costs: instructions, IOPS without delay, nanoseconds natively, by selector (root)
	$(PYTHON) -m tests.bench.cost

scale: ## what many CPUs, paths and maps cost: I/Os, windows, memory; half a minute
	$(PYTHON) -m tests.bench.scale

setup-sim:
	tests/setup simulator

sim: setup-sim ## selectors side by side in the simulator; LIST=noise, operation, long, luck, recover, beside or san, SEEDS=1,2,3, N=number of random scenarios, FILE=path of your own, OPTION=by_operation=1, POLICY="file.c NAME=VALUE" as one more selector
	$(PYTHON) -m tests.sim $(if $(SEED),--seed $(SEED)) $(if $(SEEDS),--seeds $(SEEDS)) \
		$(if $(N),--random $(N)) $(addprefix --list ,$(LIST)) $(addprefix --file ,$(FILE)) \
		$(addprefix --option ,$(OPTION)) $(if $(POLICY),--policy $(POLICY))

sim-quick: setup-sim ## ten scenarios of the simulator, in half a minute
	$(PYTHON) -m tests.sim --quick --out build/sim/quick

soak: setup-sim ## hours of changing loads in the simulator, against a module that has just been loaded; HOURS=n (100, in ten minutes), SEED=n
	$(PYTHON) -m tests.sim.soak $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED))

sim-crosscheck: setup ## the cases that bench-exact measured, simulated
	$(PYTHON) -m tests.sim.crosscheck

sim-variants: setup ## what each part of the algorithm pays for, over the lists and seeds of the last make sim; VARIANT=name for one
	$(PYTHON) -m tests.sim.variants $(if $(N),--random $(N)) $(if $(VARIANT),--variant "$(VARIANT)")

figures: setup ## every figure and table of the documents, anew; takes hours, goes on where it was cut off; LIST=1, STEP=name (root)
	$(PYTHON) -m tests.bench.figures $(if $(LIST),list,run $(addprefix --step ,$(STEP)))

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: all install uninstall dkms-source guard-install same-version dkms-install dkms-remove tools-install \
	tools-uninstall tables completion dist deb ppa rpm rpm-sources kmod-rpm upstream clean setup setup-sim demo check check-full check-kernel \
	readme-kernels promises \
	unit fuzz stress build-matrix vm-test meta-test acceptance bench-exact cost \
	scale sim soak sim-quick sim-crosscheck sim-variants figures help

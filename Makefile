# SPDX-License-Identifier: Apache-2.0
# Everything is set up inside the checkout: .venv/, frontend/node_modules/, frontend/dist/, data/.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE # tests start Python hundreds of times: what is compiled is kept
STAMPS := .stamps
WHEELS ?= dist

PAGE_SOURCES := $(shell find frontend/src frontend/build frontend/public frontend/index.html frontend/vite.config.ts frontend/vite.offline.config.ts frontend/vite.notebook.config.ts -type f 2>/dev/null) docs/published-vs-predicted.md \
	$(shell find models/src -name '*.py' -o -name '*.toml')
HOST_SOURCES := $(shell find host/src -name '*.py' 2>/dev/null)
SITE_SOURCES := $(shell find docs models/src backend/src host/src -type f -not -name '*.pyc' 2>/dev/null) \
	$(wildcard *.md benchmarks/*.md driver/*/*.md driver/*/*/*.md driver/*/*.1 driver/traffic/options.c host/man_pages.py)
PYTHON_PROJECTS := models/pyproject.toml host/pyproject.toml backend/pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help setup serve docker page docs wheels packages archive host-tools logger traffic manual install install-documents test test-python test-alone test-servers test-scale test-docker test-guest test-driver test-sweep test-page test-e2e trees lint testbed soak bench client sbom audit lock clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Only what is typed on make's command line: HOST of the environment is often the compiler's.
typed = $(if $(filter command,$(origin $(1))),$(2) $($(1)))

require = PYTHON='$(PYTHON)' CC='$(CC)' sh prerequisites.sh $(1)
unless_there = $(if $(wildcard $(1)),,$(2))

# What a step says is shown if it fails.
quietly = said=$$(mktemp) && if ( $(1) ) > "$$said" 2>&1; then rm "$$said"; else cat "$$said" >&2; rm "$$said"; exit 1; fi

serve: ## Set everything up, then serve page and API on http://127.0.0.1:8000
	@$(call require,$(call unless_there,$(BIN)/pip,python) $(call unless_there,frontend/dist/index.html,node) \
		$(call unless_there,driver/logger/coalescope-logger,compiler))
	@$(MAKE) --no-print-directory setup page logger
	@exec $(BIN)/coalescope serve $(call typed,HOST,--host) $(call typed,PORT,--port)

docker: ## The same in a container; see docs/docker.md
	docker compose up --build

setup: $(STAMPS)/python ## Install the Python packages into .venv/

page: frontend/dist/index.html ## Build the page into frontend/dist/

docs: build/site/index.html ## Build the documents' site into build/site/, which the server shows at /docs/

wheels: page ## Build the wheels into dist/: coalescope, which has all of it, and models and host tools alone
	@rm -f $(WHEELS)/coalescope*.whl
	@$(call quietly,$(BIN)/pip wheel --disable-pip-version-check --no-build-isolation --no-deps --no-index -w $(WHEELS) ./models ./host ./backend)
	@ls -sh $(WHEELS)

host-tools: host/dist/coalescope-host.pyz ## Build the tools for a host under test, one file: host/dist/coalescope-host.pyz

logger: driver/logger/coalescope-logger ## Build the logger, driver/logger/coalescope-logger

traffic: ## Build the traffic tool, driver/traffic/coalescope-traffic
	$(MAKE) -C driver/traffic

manual: $(STAMPS)/python ## Write manual pages and completion for bash, zsh and fish, from what the programs take: build/manual/
	@COLUMNS=100 $(BIN)/python docs/manual_pages.py build/manual

PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
install: host-tools logger manual ## Install a host's tools under PREFIX (/usr/local), with all manual pages and completion
	install -D -m 0755 host/dist/coalescope-host.pyz $(DESTDIR)$(PREFIX)/bin/coalescope-host
	@$(MAKE) --silent -C driver/logger install
	@$(MAKE) --silent -C driver/traffic install
	@$(MAKE) --no-print-directory install-documents

MANUAL ?= build/manual
install-documents:
	install -D -m 0644 -t $(SHARE)/man/man1 $(MANUAL)/man1/*
	install -D -m 0644 -t $(SHARE)/man/man5 $(MANUAL)/man5/*
	install -D -m 0644 -t $(SHARE)/bash-completion/completions $(MANUAL)/bash/*
	install -D -m 0644 -t $(SHARE)/zsh/site-functions $(MANUAL)/zsh/*
	install -D -m 0644 -t $(SHARE)/fish/vendor_completions.d $(MANUAL)/fish/*

VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' host/pyproject.toml)
# All that a host gets, below $(1), with programs that are compiled in $(2) with the variables $(3).
define host_tree
	@rm -rf $(1)
	@COLUMNS=100 $(BIN)/python docs/manual_pages.py $(2)/manual coalescope-host coalescope-logger coalescope-traffic
	@$(MAKE) --silent install-documents DESTDIR=$(1) PREFIX=/usr MANUAL=$(2)/manual
	@$(call quietly,$(MAKE) --silent -C driver/logger install DESTDIR=$(1) PREFIX=/usr BUILD=$(2)/logger EBPF=1 $(3))
	@$(call quietly,$(MAKE) --silent -C driver/traffic install DESTDIR=$(1) PREFIX=/usr BUILD=$(2)/traffic $(3))
	@$(BIN)/python host/packaging/linked.py $(1) $(2) $(LIBRARIES)
	@$(MAKE) --silent -C driver/module dkms DESTDIR=$(1)
	@install -D -m 0755 host/dist/coalescope-host.pyz $(1)/usr/bin/coalescope-host
	@install -D -m 0644 -t $(1)/usr/lib/systemd/system host/packaging/coalescope-host-restore.service
endef

PACKAGED := $(abspath build/packages)
# Of libraries the programs need glibc alone: it looks up users, and does so only where it is loaded.
WITH_EBPF := EBPF_LIBRARIES='-Wl,-Bstatic -lbpf -lelf -lz -Wl,-Bdynamic'
packages: archive ## Build a host's tools as Debian packages, an rpm and one archive, into dist/
	$(call host_tree,$(PACKAGED)/tree,$(PACKAGED),$(WITH_EBPF))
	@$(BIN)/python host/packaging/debian.py $(PACKAGED)/tree $(WHEELS)
	@$(BIN)/python host/packaging/red_hat.py $(PACKAGED)/tree $(WHEELS)

MACHINE := $(shell uname -m)
ARCHIVED := $(abspath build/archive)/$(MACHINE)
# For a machine of another kind: Debian's cross compiler, and libraries of its packages.
LIBRARIES := $(if $(filter-out $(shell uname -m),$(MACHINE)),$(ARCHIVED)/libraries/root)
CROSS = $(if $(LIBRARIES),CC='$(MACHINE)-linux-gnu-gcc -isystem $(LIBRARIES)/usr/include')
STATIC = LDFLAGS='-static -s $(if $(LIBRARIES),-L$(LIBRARIES)/usr/lib/$(MACHINE)-linux-gnu)' $(CROSS)
archive: host-tools $(STAMPS)/python $(LIBRARIES) ## Build a host's tools as one archive into dist/, static programs with eBPF inside; MACHINE=aarch64: those for arm64
	$(call host_tree,$(ARCHIVED)/tree,$(ARCHIVED),$(STATIC))
	@$(BIN)/python host/packaging/archive.py $(ARCHIVED)/tree $(WHEELS) $(MACHINE)

$(abspath build/archive)/aarch64/libraries/root: host/packaging/arm64_libraries.sh
	@sh $< $(@D)

test: ## Install what the tests need, lint, and run all tests
	$(MAKE) -j3 --output-sync=target setup-dev tools page # few of these steps have work for two CPUs
	$(MAKE) logger docs
	$(MAKE) -j3 --output-sync=target --keep-going lint test-page guest-system # the last waits for a network
	$(MAKE) --keep-going test-python test-alone test-servers test-guest test-e2e # one failure does not hide others

# Tests, and how they are run. What failed while others used the CPUs (e2e/lab/once_more.py; the status is 75 where
# that is all that failed) runs once more, alone; what fails undisturbed, or again, is a failure.
DISTURBED = .pytest_cache/$@/disturbed
disturbed_once_more = $(2) -o cache_dir=.pytest_cache/$@ --list-disturbed=$(DISTURBED) $(1) \
	|| { test $$? = 75 && $(2) -n 0 -o cache_dir=.pytest_cache/$@ @$(DISTURBED); }

# A worker takes a file at a time: the longest come first, so that none is left at the end.
LONG_TESTS := docker/tests/test_image_of_wheel.py models/tests/inference/fitting/test_coverage_of_scenarios.py host/tests/run/test_network.py \
	backend/tests/durability/test_many_processes.py \
	host/tests/run/test_bad_input.py host/tests/run/test_fuzzed_network.py backend/tests/web/openapi/test_whole_api.py backend/tests/durability/test_sudden_death.py \
	host/tests/remote/test_peer.py backend/tests/cli/test_token.py backend/tests/cli/test_serving.py backend/tests/cli/test_events.py \
	driver/logger/tests/test_killed.py driver/logger/tests/test_golden.py host/tests/run_log/test_corpus.py backend/tests/jobs/test_cluster.py \
	backend/tests/uploads/test_hostile_logs.py driver/traffic/tests/test_traffic.py host/tests/settings/test_host.py
# What compares rates and times, or has traffic that a busy machine spoils. They wait for most of their time, so that two files go side by
# side; what another file disturbs has the machine to itself.
TESTS_ALONE := host/tests/run/test_tune.py host/tests/run/test_sweeping.py backend/tests/cli/test_every_upload_ends.py e2e/tests/test_first_own_run.py driver/logger/tests/test_window.py
# As many threads of BLAS as CPUs in each worker would wait for each other.
PYTHON_PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -m "not browser and not guest and not soak and not containers" -q
OTHER_TESTS = $(sort $(shell find models/tests host/tests backend/tests datasets/tests docker/tests e2e/tests driver/*/tests driver/logger/bpf/tests -name 'test_*.py'))

test-python: setup-dev tools logger docs node_modules ## Models, host tools, backend, logger, data sets
	$(call disturbed_once_more,$(LONG_TESTS) $(filter-out $(LONG_TESTS) $(TESTS_ALONE),$(OTHER_TESTS)),$(PYTHON_PYTEST) -n 3 --dist loadfile --no-loadscope-reorder)

test-alone: setup-dev tools logger ## What of it compares rates and times
	$(call disturbed_once_more,$(TESTS_ALONE),$(PYTHON_PYTEST) -n 2 --dist loadfile --no-loadscope-reorder --workers-disturb)

TESTS_ON_SERVERS := $(addprefix backend/tests/,uploads storage surfaces links sweeps tokens jobs) backend/tests/web/security/test_names.py backend/tests/documents/test_typed_on_servers.py
test-servers: setup-dev tools ## What matters most of it on PostgreSQL and an S3 server
	$(call disturbed_once_more,$(TESTS_ON_SERVERS),COALESCOPE_TEST_STACK=servers $(BIN)/python -m pytest -n 2 --dist loadfile -m "not soak and not slow" -q \
		--ignore backend/tests/uploads/test_real_server.py --ignore backend/tests/uploads/test_hostile_logs.py)

test-scale: setup-dev tools ## The whole backend suite on PostgreSQL, an S3 server and Dask
	COALESCOPE_TEST_STACK=servers $(BIN)/python -m pytest -n 2 --dist loadfile -m "not soak" -q backend/tests

test-docker: setup-dev ## Build the image with its page, on base images that are made where none can be pulled, and run the compose file (root, docker.io, docker-compose, debootstrap)
	$(BIN)/python -m pytest -m containers -q docker/tests

# The longest come first, so that none is left at the end; the tests of a file share the machine that it boots.
GUEST_PYTEST := $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -q --durations 6
DRIVER_TESTS := driver/module/tests/test_several_cpus.py driver/module/tests/test_counting.py driver/module/tests/test_warnings.py \
	driver/testbed/tests/test_data_path.py driver/logger/tests/test_guest.py driver/logger/tests/test_killed.py driver/logger/tests/test_golden.py
LONG_GUEST_TESTS := host/tests/settings/test_plans_in_guest.py host/tests/run/test_calibration_in_guest.py driver/logger/bpf/tests/test_guest.py driver/testbed/tests/test_sweep.py host/tests/settings/test_in_guest.py driver/guest/tests/test_guest.py host/tests/workloads/test_pktgen.py
GUEST_TESTS = $(shell grep -rl 'mark\.guest' --include='test_*.py' driver host backend)

test-guest: setup-dev tools logger host-tools guest-system ## All that needs virtual machines, as test-driver and test-sweep, in one go
	$(call disturbed_once_more,$(firstword $(DRIVER_TESTS)) $(LONG_GUEST_TESTS) $(wordlist 2,9,$(DRIVER_TESTS)) \
		$(filter-out $(LONG_GUEST_TESTS) $(DRIVER_TESTS),$(GUEST_TESTS)),$(GUEST_PYTEST) -m "guest and not soak")

test-driver: setup-dev tools logger guest-system ## The module is built and loaded, exact, never torn, comes and goes under traffic; its logs, killed too
	$(GUEST_PYTEST) -m "not soak" $(DRIVER_TESTS)

test-sweep: setup-dev tools host-tools guest-system ## What else needs virtual machines: the sweep, settings of real drivers, eBPF, pktgen, packaging
	$(GUEST_PYTEST) -m "guest and not soak" $(LONG_GUEST_TESTS) $(filter-out $(LONG_GUEST_TESTS) $(DRIVER_TESTS),$(GUEST_TESTS))

test-page: node_modules ## The page's unit tests
	cd frontend && npm run --silent test

test-e2e: setup-dev tools page docs logger $(STAMPS)/notebooks ## The page in a real Chromium, on real recordings
	$(call disturbed_once_more,e2e,$(BIN)/python -m pytest -n 2 --dist loadfile -m "browser and not soak" -q)

trees: setup-dev tools page ## Write what a screen reader is told of each page anew, into e2e/trees: read what changed
	TREES=write $(BIN)/python -m pytest -q e2e/tests/test_accessibility_trees.py

lint: setup-dev node_modules ## Lint, types, import contracts, and that generated files are fresh
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --python-version 3.10 --cache-dir .mypy_cache/oldest host/src # the oldest that mypy knows: hosts under test have 3.9
	$(BIN)/mypy docs/published_vs_predicted.py docs/settings_table.py docs/imported_formats.py
	$(BIN)/mypy docs/routes_table.py
	$(BIN)/mypy docs/manual_pages.py
	$(BIN)/mypy docs/bill_of_materials.py
	$(BIN)/mypy docs/scored.py
	$(BIN)/mypy docs/site_sources.py docs/model_pages.py docs/command_pages.py docs/api_pages.py docs/client_page.py
	$(BIN)/mypy host/packaging/debian.py host/packaging/red_hat.py host/packaging/linked.py
	$(BIN)/lint-imports --no-logo
	cd frontend && npm run --silent lint && npm run --silent types
	@$(MAKE) --no-print-directory client
	@git diff --exit-code -- docs/openapi.json frontend/src/api/schema.d.ts docs/glossary.md docs/published-vs-predicted.md docs/scored.md docs/settings.md docs/imported-formats.md docs/routes.md \
		|| { echo 'The generated client is stale: commit the difference above.' >&2; exit 1; }

# What has not changed is left as it is: the page is built of it, and would be built again.
replaced = $(2) > $(1).new && { if cmp -s $(1).new $(1); then rm $(1).new; else mv $(1).new $(1); fi; }

client: setup node_modules ## Regenerate docs/openapi.json, docs/glossary.md, docs/published-vs-predicted.md, docs/scored.md, docs/settings.md, docs/imported-formats.md, docs/routes.md and the page's API client
	@$(call replaced,docs/openapi.json,$(BIN)/coalescope openapi)
	@$(call replaced,docs/glossary.md,$(BIN)/python -m coalescope_models.vocabulary.glossary)
	@$(call replaced,docs/published-vs-predicted.md,$(BIN)/python docs/published_vs_predicted.py)
	@$(call replaced,docs/scored.md,$(BIN)/python docs/scored.py)
	@$(call replaced,docs/settings.md,$(BIN)/python docs/settings_table.py)
	@$(call replaced,docs/imported-formats.md,$(BIN)/python docs/imported_formats.py)
	@$(call replaced,docs/routes.md,$(BIN)/python docs/routes_table.py)
	@$(call replaced,frontend/src/api/schema.d.ts,frontend/node_modules/.bin/openapi-typescript docs/openapi.json --default-non-nullable=false)

testbed: setup host-tools ## Repeat the paper's experiment in virtual machines (33 minutes on two CPUs), into datasets/virtual-testbed/
	cd driver && ../$(BIN)/python -m testbed

soak: ## What takes too long for every change: fifty links, a thousand drags, 200 sudden ends; results in docs/soak.md
	$(MAKE) --keep-going soak-tests test-scale test-docker # one failure does not hide others

bench: setup-dev tools page logger traffic ## Measure what docs and design promise, each beside its bar
	$(BIN)/python benchmarks/run.py

sbom: setup packages ## List all that Coalescope is made of, with licences, from lock files and what programs are linked with: build/sbom/
	$(BIN)/python docs/bill_of_materials.py build/sbom

AUDIT := uvx pip-audit --strict --progress-spinner off --require-hashes --disable-pip
audit: ## Look all locked packages up among known vulnerabilities (needs uv, npm and the network)
	$(AUDIT) -r requirements.lock -r host/zipapp/requirements.lock -r requirements-scale.lock -r requirements-docs.lock -r requirements-notebooks.lock -r requirements-dev.lock
	cd frontend && npm audit --package-lock-only

lock: ## Resolve the Python dependencies anew (needs uv): what is installed is what is tested
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-dev.lock
	uv pip compile pyproject.toml --group scale -c requirements-dev.lock --universal --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-scale.lock
	uv pip compile --group docs -c requirements-dev.lock --universal --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-docs.lock
	uv pip compile --group notebooks -c requirements-dev.lock --universal --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-notebooks.lock
	uv pip compile pyproject.toml -c requirements-dev.lock --universal --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements.lock

clean: ## Remove all that was built or installed; data/ stays
	rm -rf $(VENV) $(STAMPS) dist frontend/node_modules frontend/dist frontend/.generated host/dist build/host-tools build/site build/site-sources build/site-state build/notebooks build/image driver/guest/build
	$(MAKE) -C driver/logger clean
	$(MAKE) -C driver/traffic clean

# ---- what the targets above stand on ---------------------------------------------------------

.PHONY: setup-dev tools guest-system node_modules soak-tests FORCE
setup-dev: $(STAMPS)/python-dev
node_modules: $(STAMPS)/node
soak-tests: setup-dev tools page logger host-tools
	$(BIN)/python -m pytest -m soak -q --timeout 0
tools:
	@sh e2e/require-tools.sh
guest-system: setup-dev tools
	@cd driver && ../$(BIN)/python -m guest.fetch

# pip comes last: an environment whose making was cut off is made again.
$(BIN)/pip:
	@$(call require,python)
	@$(PYTHON) -m venv --clear $(VENV)

$(STAMPS)/python: requirements.lock $(PYTHON_PROJECTS) | $(BIN)/pip
	@mkdir -p $(STAMPS)
	@echo 'Installing Python packages into $(VENV)/ …'
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e models -e host -e backend
	@touch $@

$(STAMPS)/python-dev: requirements-dev.lock $(STAMPS)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-compile -r requirements-dev.lock # most is never imported
	@touch $@

$(STAMPS)/python-docs: requirements-docs.lock $(STAMPS)/python
	@echo 'Installing what builds the documents into $(VENV)/ …'
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-compile -r requirements-docs.lock
	@touch $@

# Notebooks with their kernels, apart from what is tested in them: it finds the rest in .venv/.
$(STAMPS)/notebooks: requirements-notebooks.lock | $(STAMPS)/python-dev
	@echo 'Installing JupyterLab and marimo into build/notebooks/ …'
	@$(PYTHON) -m venv --clear build/notebooks
	@build/notebooks/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-compile -r requirements-notebooks.lock
	@build/notebooks/bin/python -c 'import pathlib, sys, sysconfig; pathlib.Path(sysconfig.get_path("purelib"), "tested.pth").write_text("import site; site.addsitedir(%r)" % sys.argv[1])' \
		"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	@touch $@

# A warning, such as of a link that leads nowhere, is an error.
build/site/index.html: $(STAMPS)/python-docs $(SITE_SOURCES)
	@echo 'Building the documents into build/site/ …'
	@$(BIN)/python docs/site_sources.py build/site-sources
	@rm -rf build/site # pages of what is no longer there would stay
	@$(BIN)/sphinx-build -q -W --keep-going -c docs/site -d build/site-state build/site-sources build/site
	@touch $@

$(STAMPS)/node: frontend/package.json frontend/package-lock.json
	@$(call require,node)
	@mkdir -p $(STAMPS)
	@echo 'Installing what the page is built with into frontend/node_modules/ …'
	@cd frontend && npm ci --silent
	@touch $@

frontend/dist/index.html: $(STAMPS)/node $(STAMPS)/python $(PAGE_SOURCES)
	@echo 'Building the page into frontend/dist/ …'
	@$(call quietly,cd frontend && COALESCOPE_PYTHON=../$(BIN)/python npm run --silent build)
	@touch $@

# Asked each time: it says if it is without eBPF, and has it as soon as what was missing is installed.
driver/logger/coalescope-logger: FORCE
	@$(MAKE) --silent -C driver/logger

# One file that runs with Python alone: the package, and pyroute2 as it is locked.
host/dist/coalescope-host.pyz: requirements.lock host/zipapp/requirements.lock host/zipapp/__main__.py $(HOST_SOURCES) | $(STAMPS)/python
	@rm -rf build/host-tools && mkdir -p build/host-tools/content host/dist
	@awk '/^pyroute2==/ { found = 1 } found { print } found && !/\\$$/ { exit }' requirements.lock > build/host-tools/requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-compile \
		--target build/host-tools/content -r build/host-tools/requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-compile --only-binary=:all: \
		--platform any --python-version 3.9 --target build/host-tools/content -r host/zipapp/requirements.lock # compiled for none
	@rm -rf build/host-tools/content/bin
	@cp -R host/src/coalescope_host host/zipapp/__main__.py build/host-tools/content
	@find build/host-tools/content -name __pycache__ -prune -exec rm -rf {} +
	@$(BIN)/python -m compileall -q -b --invalidation-mode unchecked-hash build/host-tools/content # else each start compiles it
	@$(BIN)/python -m zipapp --compress --python '/usr/bin/env python3' --output $@ build/host-tools/content
	@chmod 755 $@

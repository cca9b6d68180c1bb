# Verbs of the house. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# Maven ends before C2, the second compiler of the JVM, has paid off.
MAVEN := env MAVEN_OPTS="$$MAVEN_OPTS -XX:TieredStopAtLevel=1" mvn -q -B -ntp

# LICENSE, NOTICE and licenses/ go into the jars.
JAVA_SOURCES := LICENSE NOTICE $(wildcard licenses/*) \
	$(shell find pom.xml jvm-agent hadoop-patches cases/in-mem-word-count/job -name target -prune -o \
	\( -name '*.java' -o -name pom.xml -o -path '*/resources/*' -type f \) -print 2>/dev/null)
JARS := jvm-agent/bundle/target/mprof-agent.jar jvm-agent/gateway/target/mprof-gateway.jar
INSTALLED := $(VENV)/installed

# Processes for the tests that need no JVM. Not all cores: some look at time, and a container may
# have fewer than its machine. They give way to those with a JVM, which wait half of their time.
WORKERS ?= 2

# Images of containers set it. Then each process that a test starts would compile the program again,
# and each pytest would rewrite all tests: 12 s of CPU time for each of these, 0.4 s for each other.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help:  ## list the verbs
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | \
		while IFS=$$'\t' read -r verb text; do printf '  make %-14s %s\n' "$$verb" "$$text"; done

.PHONY: needs-python
needs-python:
	@test -n "$(PYTHON)" || { echo "mprof needs Python 3.11 or newer: install python3.11 (or set PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "mprof needs Python's venv module: install python3-venv" >&2; exit 1; }

.PHONY: needs
needs: needs-python
	@command -v java >/dev/null || { echo "mprof needs a JDK 17 or newer: install openjdk-17-jdk" >&2; exit 1; }
	@command -v javac >/dev/null || { echo "mprof needs a JDK, not only a JRE: install openjdk-17-jdk" >&2; exit 1; }
	@javac -version 2>&1 | awk '{split($$2, v, "."); exit !(v[1] >= 17)}' || { echo "mprof needs a JDK 17 or newer: install openjdk-17-jdk" >&2; exit 1; }
	@command -v mvn >/dev/null || { echo "mprof needs Maven to build its agent: install maven" >&2; exit 1; }

.PHONY: build
build: needs $(INSTALLED)  ## build what is missing: agent, gateway, Python environment

# One Maven run makes both jars; the stamp keeps make from running it twice.
jvm-agent/target/jars: $(JAVA_SOURCES) | needs
	@echo "building the agent and the gateway (Maven)"
	@$(MAVEN) package -DskipTests -Dmaven.javadoc.skip=true
	@mkdir -p $(@D) && touch $@

# LOCKED=1 installs the versions of requirements/development.txt, each checked against its hash.
LOCK := requirements/development.txt
PIP := $(BIN)/python -m pip -q --disable-pip-version-check

$(INSTALLED): pyproject.toml hatch_build.py jvm-agent/target/jars $(if $(LOCKED),$(LOCK)) | needs
	@test -x $(BIN)/python || { echo "making the Python environment in $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing mprof and its libraries into $(VENV)"
ifdef LOCKED
	@$(PIP) install --require-hashes -r $(LOCK)
	@$(PIP) install --no-deps --no-build-isolation -e .
else
	@$(PIP) install -e '.[dev]'
endif
	@touch $@

COMPILE := build/lock/bin/uv pip compile -q --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"

.PHONY: lock
lock: needs-python  ## write requirements/*.txt again: the newest versions that pyproject.toml allows
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install -q --disable-pip-version-check uv
	@$(COMPILE) pyproject.toml -o requirements/users.txt
	@$(COMPILE) pyproject.toml requirements/build.in --extra dev --extra docs --extra spark --extra sql --extra remote -o $(LOCK)
	@$(COMPILE) requirements/packager.in -o $(PACKAGER_LOCK)

.PHONY: demo
demo: build  ## let a real job die of memory, rerun it with profiling, print and write the report
	@$(BIN)/python -m mprof demo --live --output demo

# Three at a time, the longest first: those on the cluster wait half of their time, and the others
# have two processes. Java tests begin where one ends. What the others print is shown after.
ON_CLUSTER := $(CURDIR)/build/tests-on-cluster.log
OF_JAVA := $(CURDIR)/build/tests-java.log
WITH_JVM := $(CURDIR)/build/tests-with-jvm.log
WITHOUT_JVM := $(CURDIR)/build/tests-without-jvm.log
# Last of all is said what failed: of a long output often only the end is kept.
TELLS_THE_END := '^(FAILED|ERROR|RERUN) |^\[ERROR\] +[A-Za-z]+Test|^=+ .*[0-9]+ .* in [0-9.]+s|Java tests: '
SLOWEST := --durations=20 --durations-min=5
# In a JVM that dies, or on a cluster, threads meet in any order: such a test is tried once more, and
# the summary names it (RERUN). The tests without a JVM have no such excuse.
ONCE_MORE := --reruns 1
.PHONY: test
test: build  ## all tests: Java and Python, with real task JVMs and the embedded cluster
	@echo "Python tests on the cluster; beside them, and shown after, the others and the Java tests"
	@$(MAKE) --no-print-directory -k -j3 test-on-cluster test-without-jvm test-with-jvm test-java; \
	status=$$?; cat $(OF_JAVA) $(WITH_JVM) $(WITHOUT_JVM); echo; echo "What failed, and the counts:"; \
	grep -hE $(TELLS_THE_END) $(ON_CLUSTER) $(OF_JAVA) $(WITH_JVM) $(WITHOUT_JVM); exit $$status

# Of 100 tasks whose agents meet faults, a fifth each day, as of other sweeps.
FAULTS_OF_TODAY = $(shell PYTHONPATH=tests $(BIN)/python -m builders.part_of_today)

# In a copy: they package the jars again, which the Python tests give to their tasks meanwhile.
.PHONY: test-java
test-java:
	@mkdir -p build/java
	@find build/java -name surefire-reports -prune -exec rm -rf {} +
	@find build/java -name target -prune -o -type f -exec rm -f {} +
	@tar c $(JAVA_SOURCES) docs/reference/samples docs/reference/hadoop-patches.md | tar x -C build/java
	@cd build/java; nice -n 2 $(MAVEN) verify -Djava.awt.headless=true $(FAULTS_OF_TODAY) \
	> $(OF_JAVA) 2>&1; status=$$?; \
	find . -path '*/surefire-reports/*.txt' -exec cat {} + | awk -F '[:,]' '/^Tests run/ { \
		run += $$2; failed += $$4 + $$6; skipped += $$8 } END { \
		printf "Java tests: %d run, %d failed, %d skipped\n", run, failed, skipped }' >> $(OF_JAVA); \
	exit $$status

# All tests are 12,600, which take half a minute of processor time to collect. Of those with a mark
# the files name it; tests/conftest.py sees to that.
MARKED = $(shell grep -rlF --include='test_*.py' 'mark.$(1)' tests | sort)

.PHONY: test-on-cluster
test-on-cluster:
	@mkdir -p build
	@set -o pipefail; $(BIN)/python -m pytest $(SLOWEST) $(ONCE_MORE) -m 'hadoop and not browser' \
		$(call MARKED,hadoop) 2>&1 | tee $(ON_CLUSTER)

.PHONY: test-with-jvm
test-with-jvm:
	@mkdir -p build
	@nice -n 2 $(BIN)/python -m pytest $(SLOWEST) $(ONCE_MORE) -m 'jvm and not hadoop and not browser' \
		$(call MARKED,jvm) > $(WITH_JVM) 2>&1

.PHONY: test-without-jvm
test-without-jvm:
	@mkdir -p build
	@nice -n 5 $(BIN)/python -m pytest $(SLOWEST) -n $(WORKERS) --dist loadfile \
		-m 'not jvm and not hadoop and not browser' > $(WITHOUT_JVM) 2>&1

.PHONY: test-oldest
test-oldest: needs  ## the Java tests of the patches, on the oldest Hadoop of each line too (downloads it)
	@$(MAVEN) verify -Djava.awt.headless=true -Poldest-hadoop -pl hadoop-patches/hadoop-2.9-oldest -am

.PHONY: test-fast
test-fast: build  ## the tests that need neither Java nor the cluster
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
		-m 'not jvm and not hadoop and not slow and not browser'

.PHONY: test-sweeps
test-sweeps: build  ## the whole sweeps, of which make test tries a fifth each day (minutes)
	@MPROF_PART=all $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
		$(shell grep -rlF --include='test_*.py' 'part_of_today import of_today' tests | sort)

.PHONY: test-browser
test-browser: build  ## open the HTML report in headless Chromium and check the page
	@$(BIN)/python -m pytest tests/browser -m browser

.PHONY: lint
lint: build  ## ruff, mypy --strict, import-linter, Java format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(MAVEN) com.spotify.fmt:fmt-maven-plugin:2.25:check

.PHONY: format
format: build  ## format Python and Java
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .
	@$(MAVEN) com.spotify.fmt:fmt-maven-plugin:2.25:format

.PHONY: cases
cases: build  ## run every case for real (minutes)
	@$(BIN)/mprof cases run --all

.PHONY: bench
bench: build  ## benchmarks of the heap engine
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-only

.PHONY: docs
docs: build  ## regenerate the generated pages
	@$(BIN)/python -m development pages
	@$(BIN)/python -m development gallery

.PHONY: site
site: build  ## the pages as a site that works offline, in site/, with its links checked
	@$(BIN)/python -c 'import zensical' 2>/dev/null || $(PIP) install -e '.[docs]'
	@$(BIN)/python -m development site

.PHONY: sweep
sweep: build  ## how far each threshold can be moved before a recorded verdict changes (minutes)
	@$(BIN)/python -m development sweep -o docs/reference/thresholds.md

.PHONY: fuzz
fuzz: build  ## bad input, generated: every reader by every damage by every verb (FUZZ="--seed 2 --runs 500")
	@PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

RELIABILITY ?= --seed 1 --jobs 1000
.PHONY: reliability
reliability: build  ## random jobs with known truth: how often verdicts are right (RELIABILITY="--seed 7 --jobs 3000")
	@$(BIN)/python -m reliability $(RELIABILITY)

.PHONY: compatibility
compatibility: build  ## jobs in many settings, with and without mprof; goes on where it was (COMPATIBILITY="--all")
	@$(BIN)/python -m compatibility $(COMPATIBILITY)

RELIABILITY_JVMS ?= --seed 1 --jobs 100 --page docs/reference/reliability-jvms.md
.PHONY: reliability-jvms
reliability-jvms: build  ## the same with real task JVMs, a minute or more each; goes on where it was (RELIABILITY_JVMS="--minutes 60")
	@$(BIN)/python -m reliability.jvms $(RELIABILITY_JVMS)

FAULTS ?= -Dmprof.faults.tasks=10000 -Dmprof.kills=100 -Dmprof.soak.records=100000000
.PHONY: faults
faults: needs  ## faults in the agent, killed tasks, a soak (FAULTS="-Dmprof.faults.tasks=500 -Dmprof.faults.seed=7")
	@set -o pipefail; $(MAVEN) verify -Djava.awt.headless=true -Dgroups=faults \
		-Dmprof.task.seconds=3600 $(FAULTS) -pl hadoop-patches/hadoop-2.9 -am \
		| { grep --line-buffered -vE ' (INFO|WARN) ' || true; }

# The distributions are made in an environment of their own, from locked versions: the version of
# hatchling stands in the wheel, and the developers' libraries are not needed.
PACKAGER := build/packager
PACKAGER_LOCK := requirements/packager.txt
$(PACKAGER)/installed: $(PACKAGER_LOCK) | needs-python
	@$(PYTHON) -m venv --clear $(PACKAGER)
	@$(PACKAGER)/bin/python -m pip -q --disable-pip-version-check install \
		--require-hashes -r $(PACKAGER_LOCK)
	@touch $@

# Kernels of the heap engine are compiled for a wheel, by the locked numba: a first run need not.
# Another environment with numba does as well, and saves making this one.
KERNEL_PYTHON ?= build/compiler/bin/python
build/compiler/bin/python: requirements/users.txt | needs-python
	@echo "making the environment that compiles kernels"
	@$(PYTHON) -m venv --clear build/compiler
	@build/compiler/bin/python -m pip -q --disable-pip-version-check install --require-hashes -r $<
	@touch $@

build/kernels/made: $(wildcard mprof/kernels/*.py mprof/hprof/format.py mprof/hprof/scan/*.py \
		mprof/heap/_*.py distribution/kernels.py distribution/KernelHeap.java) \
		| needs $(KERNEL_PYTHON)
	@echo "compiling the kernels"
	@PYTHONPATH=. $(KERNEL_PYTHON) -m distribution.kernels build/kernels/prebuilt
	@mkdir -p $(@D) && touch $@

DIST ?= dist
.PHONY: dist
dist: jvm-agent/target/jars $(PACKAGER)/installed build/kernels/made  ## build the wheel and the source distribution into dist/
	@$(PACKAGER)/bin/python -m hatchling build --directory $(DIST)

.PHONY: reproducible
reproducible: needs  ## build twice, in two folders and two settings, and compare every byte
	@PYTHONPATH=. $(PYTHON) -m distribution.reproducible

# TAG is read by the shell, from the environment: a tag may hold what make and the shell obey.
.PHONY: tag-matches
tag-matches: needs-python  ## whether the tag in the variable TAG is that of this version
	@version="v$$($(PYTHON) -c 'from mprof.version import __version__; print(__version__)')"; \
	test "$$TAG" = "$$version" || { \
		printf '%s is not the tag of this version, which is %s: tag that commit, or change mprof/version.py\n' \
			"$$TAG" "$$version" >&2; exit 1; }

.PHONY: clean
clean:  ## remove what was built (not the environment)
	@rm -rf dist build demo site .cache jvm-agent/target jvm-agent/*/target hadoop-patches/*/target mprof/jars/*.jar $(INSTALLED)
	@find mprof tests -name __pycache__ -type d -exec rm -rf {} +

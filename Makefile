# Two commands: `make run` opens the app, `make test` checks everything but the slow tests.

PYTHON ?= python3
ADDRESS ?= 127.0.0.1
BIN := .venv/bin
# A process of one thread for each core, four at the most; the tests of a file stay together, with what they share.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile

# pip compiles nothing: of 20,000 files a start needs few, and Python keeps what it compiles for them, here also
# where it is told to write none.  So set-up and first start take half of the processor time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run setup test test-all test-ray check bench format

run: setup
	$(BIN)/python -m streamlit run app.py --server.address=$(ADDRESS) --server.port=$$($(BIN)/python tools/free_port.py)

setup: .venv/ready

.venv/ready: requirements.txt
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed; choose one with: make setup PYTHON=python3.12')"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
	touch $@

# mwxml is compiled here: what compiling warns of in it would be an error in the tests.
.venv/ready-dev: .venv/ready requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -W ignore -c "import mwxml"
	touch $@

# minicons, the second opinion of the scoring tests and the peer of the benchmark, works with transformers 4 alone.
.venv-minicons/ready: requirements-minicons.txt
	test -x .venv-minicons/bin/python || $(PYTHON) -m venv .venv-minicons
	.venv-minicons/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-minicons.txt
	touch $@

check: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Of a property's examples a quarter is tried; test-all tries all.
test: check
	$(PYTEST) -m "not slow" --hypothesis-profile quick

test-all: check .venv-minicons/ready
	$(PYTEST)

test-ray: .venv/ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-ray.txt
	$(BIN)/python -m pytest tests/jobs/test_ray_engine.py

bench: .venv/ready-dev .venv-minicons/ready
	$(BIN)/python -m benchmarks

format: .venv/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

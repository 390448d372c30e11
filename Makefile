# Two commands for a fresh machine with Python 3.11 or later, pip, venv and make:
#   make demo   creates .venv, installs, scores the example data of every task
#   make test   everything CI runs
# Two that search for faults: make fuzz (MINUTES=2), make explore
PYTHON ?= python3
# another Python beside the first: make suite PYTHON=python3.13 VENV=build/python3.13
VENV ?= .venv
BIN := $(VENV)/bin
# the tests start the program some hundred times; without its bytecode each start compiles it anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite lint types wheel docs reference bench fuzz explore power tests-of minimal clean

demo: $(VENV)/installed
	$(BIN)/coliee-ir demo

# one worker more than there are processors for us: some tests wait
WORKERS = $(shell $(PYTHON) -c 'import os; print(1 + len(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)))')
test: lint types wheel docs suite

# the tests alone
suite: $(VENV)/installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: $(VENV)/installed-test
	$(BIN)/mypy

# the wheel as a user gets it: built, installed alone in a new environment, run outside of the tree
wheel: $(VENV)/installed-test
	$(BIN)/python tests/tools/wheel_smoke.py

# the site, in site/; a warning is an error
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -d build/doctrees docs site

# the pages of docs/ that come from the code, which are committed
reference: $(VENV)/installed-test
	$(BIN)/python docs/generate.py

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks

# example files broken at random, and read in every way that there is; SEED=… repeats a session, ONLY=… a case of it
MINUTES ?= 2
fuzz: $(VENV)/installed-test
	PYTHONPATH=tests/shared $(BIN)/python tests/tools/fuzz.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

# what takes long, and the property tests with more examples than in `make test` and other ones each time
explore: $(VENV)/installed-test
	$(BIN)/python -m pytest --hypothesis-profile explore -m 'explore or hypothesis' tests

# small faults at random places, and which of them no test notices; FAULTS=…, SEED=…, LEAST=… percent to be noticed. Which tests
# run which lines is found by one run of the suite, and kept in build/
FAULTS ?= 200
power: $(VENV)/installed-test
	$(BIN)/python tests/tools/survivors.py --faults $(FAULTS) $(if $(SEED),--seed $(SEED)) $(if $(LEAST),--least $(LEAST))

# the tests that run a line: make tests-of LINE=coliee_ir/commands/plan.py:40
tests-of: $(VENV)/installed-test
	$(BIN)/python tests/tools/survivors.py --tests-of $(LINE)

# the lowest versions that pyproject.toml allows, in an environment of their own: the demo, and the tests that read and score
OLDEST := build/minimal/bin
minimal:
	$(PYTHON) -m venv --clear build/minimal
	$(OLDEST)/python tests/tools/minimal.py pandas polars parquet > build/minimal.txt
	$(OLDEST)/python -m pip install --quiet --disable-pip-version-check --constraint build/minimal.txt \
	  --editable ".[pandas,polars,parquet]" pytest pytest-timeout hypothesis
	$(OLDEST)/coliee-ir demo > build/minimal.out 2>&1
	$(OLDEST)/python -m pytest -W default -p no:cacheprovider tests/coliee_ir/judging/test_judged.py tests/coliee_ir/scoring/test_evaluator.py \
	  tests/coliee_ir/judging/test_in_memory.py tests/coliee_ir/reading/test_parquet.py tests/coliee_adapters/forms/test_columns.py \
	  tests/coliee_adapters/forms/test_frames.py tests/coliee_adapters/test_trec_eval.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/installed-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ $(VENV)/installed

# after the other, never beside it: two pips in one environment would meet
$(VENV)/installed-docs: pyproject.toml constraints.txt | $(VENV)/installed-test
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@ $(VENV)/installed

$(VENV)/installed-bench: pyproject.toml constraints.txt | $(VENV)/installed-test
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@ $(VENV)/installed

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# The commands of the project; CI runs the same ones.
#
#   make setup        .venv with codejury in it; Julia and bubblewrap in the user's cache
#   make demo         set up, then show the main job at work, and make a site of its results
#   make test         set up, also a browser, then run all tests
#   make julia        set up, then run the tests of the judge, attacks included, on the Julia of CODEJURY_JULIA
#   make browser      a browser for the tests of the site, in the cache where the machine has none
#   make mutants      break our Python in small ways, a sample; do the tests notice? COUNT=60 SEED=0, takes an hour
#   make docs         the documentation as a site, in build/docs-site
#   make lint         style and types
#   make constraints  choose the versions of all dependencies anew
#   make clean        remove what the others have made here
#
# Each is quick when there is nothing to do.

SHELL := /bin/sh
BIN := .venv/bin

# Where it is set, each of the hundreds of processes that the tests start compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test julia mutants browser docs lint constraints clean

setup: .venv/.ready
	@$(BIN)/codejury setup

# Julia is made ready while the model is fetched.
demo: .venv/.ready
	@$(MAKE) --no-print-directory -j2 setup .venv/.local-model
	@$(BIN)/codejury demo

test: setup browser
	@$(BIN)/python -m pytest -n auto --maxprocesses 4

julia: setup
	@$(BIN)/python -m pytest tests/judge/sandbox tests/judge/toolchain/test_toolchain.py \
		tests/judge/test_judge.py tests/selftest

mutants: setup
	@$(BIN)/python bench/mutants.py --count $(or $(COUNT),60) --seed $(or $(SEED),0)

browser: .venv/.ready
	@$(BIN)/python scripts/install-browser >/dev/null

docs: .venv/.docs
	@$(BIN)/python scripts/make-docs

lint: .venv/.ready
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

constraints:
	@scripts/choose-versions

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis

.venv/.local-model: .venv/.ready constraints-local.txt scripts/install-local-model
	@scripts/install-local-model
	@touch $@

.venv/.docs: .venv/.ready constraints-docs.txt scripts/install-docs
	@scripts/install-docs
	@touch $@

.venv/.ready: pyproject.toml constraints.txt scripts/make-venv
	@scripts/make-venv
	@touch $@

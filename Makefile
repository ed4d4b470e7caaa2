# The doors of the project. Every chore has one; CI opens the same ones.
#
#   make setup        .venv with codejury in it; Julia and bubblewrap in the user's cache
#   make demo         set up, then show the main job at work, and make a site of its results
#   make test         set up, also a browser, then run all tests
#   make julia        set up, then run the tests of the judge, attacks included, on the Julia of CODEJURY_JULIA
#   make browser      a browser for the tests of the site, in the cache where the machine has none
#   make mutants      break our Python in small ways, a sample; do the tests notice? COUNT=60 SEED=0, takes an hour
#   make lint         style and types
#   make constraints  choose the versions of all dependencies anew
#   make clean        remove what the others have made here
#
# Each is quick when there is nothing to do.

SHELL := /bin/sh
BIN := .venv/bin

.PHONY: setup demo test julia mutants browser lint constraints clean

setup: .venv/.ready
	@$(BIN)/codejury setup

demo: setup .venv/.local-model
	@$(BIN)/codejury demo
	@$(BIN)/codejury site build --root results/demo --output site

test: setup browser
	@$(BIN)/python -m pytest -n auto --maxprocesses 4

julia: setup
	@$(BIN)/python -m pytest $(patsubst %,tests/test_%.py,julia_side compiled toolchain judge \
		sandbox_clocks sandbox_conformance proof selftest attacks)

mutants: setup
	@$(BIN)/python bench/mutants.py --count $(or $(COUNT),60) --seed $(or $(SEED),0)

browser: .venv/.ready
	@$(BIN)/python scripts/install-browser >/dev/null

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

.venv/.ready: pyproject.toml constraints.txt scripts/make-venv
	@scripts/make-venv
	@touch $@

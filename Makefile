# `make hunt`: a 60-second hunt and its best grid.  `make test`: the tests.  Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: hunt test test-slow test-browser lint format bench results results-page clean

# One environment for users and developers: the package, editable, with the development group.
.venv/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

hunt: .venv/.installed
	grid=$$($(BIN)/morpion search configs/5d.yaml --time 60s --json | $(BIN)/python -c "import json,sys; print(json.load(sys.stdin)['path'])") \
	&& $(BIN)/morpion verify "$$grid" && $(BIN)/morpion render "$$grid"

test: .venv/.installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Speed targets and published figures; best on an idle machine.
test-slow: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable . --group slow
	$(BIN)/python -m pytest -m slow

# Pages in headless Chromium, which on Debian it installs.
test-browser: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable . --group browser
	command -v chromedriver >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; }
	$(BIN)/python -m pytest -m browser

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed
	$(BIN)/morpion bench

# Every paper again, each for at most EACH, which goes on from an earlier time, and docs/results.md from what there is.
EACH ?= 30m
results: .venv/.installed
	for config in configs/papers/*.yaml; do $(BIN)/morpion experiment $$config --resume --time $(EACH) || exit; done
	$(MAKE) results-page

results-page: .venv/.installed
	mkdir -p docs/figures
	cat docs/results-head.md > docs/results.md
	for config in configs/papers/*.yaml; do \
	  name=$$(basename $$config .yaml); test -f results/$$name/table.md || continue; \
	  { sed "s|](figure|](figures/$$name-figure|" results/$$name/table.md; echo; } >> docs/results.md; \
	  for figure in results/$$name/figure*.svg; do test -f $$figure && cp $$figure docs/figures/$$name-$$(basename $$figure); done; \
	done; true

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every target makes its own surroundings first: .venv, its packages and, on Debian and Ubuntu, the system libraries.
PYTHON ?= python3
ARGS ?=
WORKERS ?= 3
EMBEDDINGS ?=
BIN := .venv/bin

# Qt wants a UTF-8 locale; a bare machine names none.
ifeq ($(LC_ALL)$(LC_CTYPE)$(LANG),)
export LC_ALL := C.UTF-8
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test test-fast durations check versions bench screenshots clean distclean ready-run ready-test machine-code

help:
	@echo 'make run                 start the console'
	@echo 'make run ARGS="..."      any command: make run ARGS="run --planner oracle --seed 0", make run ARGS=--help'
	@echo 'make test                the tests, by three processes; ARGS go to pytest: make test ARGS="-k belief"'
	@echo 'make test-fast           one case of each quick test: within a minute'
	@echo 'make durations           run all tests and record how long they take: test-fast chooses by that'
	@echo 'make check               ruff, mypy, import-linter'
	@echo 'make versions            the wheel on each Python found here, with the newest and the oldest packages (in .versions)'
	@echo 'make bench               the benchmarks'
	@echo 'make bench-table         the same three times under different load, as the table of tests/benchmarks/README.md'
	@echo 'make screenshots         draw the pictures of the README anew'
	@echo 'make clean               remove caches and build leftovers; make distclean removes .venv and .versions too'
	@echo ''
	@echo 'EMBEDDINGS=1             with run or test: install sentence embeddings too (about 1.3 GB with the CPU build of torch)'
	@echo 'WORKERS=4                with test: so many processes; 0: one, in which a debugger can be used'
	@echo 'PYTHON=python3.12        take another Python (3.11 or newer)'
	@echo 'BELVEDERE_SKIP_SYSTEM_LIBRARIES=1   do not look for system libraries, nor install any'

run: ready-run
	@$(BIN)/python main.py $(ARGS)

# Three processes keep two cores busy: many a test waits for a process of its own. A process that is done takes tests from another.
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

test test-fast durations: export QT_QPA_PLATFORM := offscreen
test: ready-test machine-code
	@$(PYTEST) $(ARGS)

test-fast: ready-test machine-code
	@$(PYTEST) --fast $(ARGS)

durations: ready-test machine-code
	@$(PYTEST) --record-durations $(ARGS)

check: ready-test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

# In environments of its own, by the standard library alone: it leaves .venv as it is.
versions:
	@PYTHONPATH=resources:. $(PYTHON) -m tests.versions

bench: export QT_QPA_PLATFORM := offscreen
bench: ready-test machine-code
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only -s $(ARGS)

.PHONY: bench-table
bench-table: export QT_QPA_PLATFORM := offscreen
bench-table: ready-test machine-code
	@$(BIN)/python -m tests.benchmarks.table --write $(ARGS)

SHOT := QT_QPA_PLATFORM=offscreen $(BIN)/python main.py screenshot --planner llm-mcts --seed 3 --turns 2 \
	--task "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"

screenshots: ready-run machine-code
	$(SHOT) --theme dark --out resources/pictures/console-dark.png
	$(SHOT) --theme light --out resources/pictures/console-light.png
	$(SHOT) --theme cvd --out resources/pictures/console-cvd.png
	QT_QPA_PLATFORM=offscreen $(BIN)/python resources/pictures/build_animation.py
	$(BIN)/python main.py screenshot --cameras --planner oracle --seed 4 --turns 5 --size 720x540 --out resources/pictures/house.png

ready-run ready-test: ready-%:
	@PYTHONPATH=resources $(PYTHON) -m bootstrap $*$(if $(EMBEDDINGS), embeddings)

# The search, compiled beforehand into the user's cache: quick once it is there. A run does it beside itself and waits for nothing;
# tests, benchmarks and pictures search too much to begin without. Where it fails it says so, and is done later.
machine-code:
	@$(BIN)/python -m core.search.compilation.compile || :

clean:
	rm -rf build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -not -path './.venv/*' -not -path './.versions/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf .venv .versions

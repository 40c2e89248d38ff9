# make run     the study: .venv, packages, data, runs, tables, figures
# make test    the same set-up, then all tests, one process for each CPU, four at most
# make soak    kills a small study 60 times at random moments; SEED=7 draws other moments
# make check   formatting, lints and types
# make report  results/report.html, one page with every table and figure
# make status  what is done, running, missing and stale, and how long the rest will take
# make report-partial, retry, verify, trace FILE=..., archive, validate-estimates   see README.md
#
# CONFIG=config/paper.yaml   another study on top of config/config.yaml; several, in quotes: CONFIG="a.yaml b.yaml"
# RESULTS=path/to/results    what `make verify` looks at, also a copy
# ENV=/path/to/environment   packages that are there already, instead of .venv

.DEFAULT_GOAL := run
.PHONY: environment run data test soak check format report report-partial retry status verify trace archive validate-estimates

PYTHON ?= python3
ENV ?= .venv
CONFIG ?=
RESULTS ?= results
ARCHIVE ?= gpu-training-speedup-results.zip
DATA ?= yes
UNVERIFIED ?= no
BIN := "$(ENV)/bin"
RUN_PACKAGES := $(if $(filter .venv,$(ENV)),.venv/.run,environment)
TEST_PACKAGES := $(if $(filter .venv,$(ENV)),.venv/.test,environment)
PACKAGE := env PYTHONPATH=workflow/scripts$(if $(PYTHONPATH),:$(PYTHONPATH)) $(BIN)/python -m
# The standard library is enough to check results.
CHECKER := env PYTHONPATH=workflow/scripts "$$(command -v $(BIN)/python || echo $(PYTHON))" -m
# The overlays are read first: the engine names neither file nor line of a mistake, and refuses an empty one.
OVERLAYS := overlays=$$($(PACKAGE) planning.config_files $(CONFIG))
CONFIGFILE := $${overlays:+--configfile $$overlays}
# What writes results is alone in this folder while it works, and begins by unlocking what a killed run left locked.
ATTENDED := exec $(PACKAGE) planning.attended $(BIN)/snakemake --cores all --resources gpu=1
SNAKEMAKE := $(OVERLAYS) && $(ATTENDED) $(CONFIGFILE) --
# The files of the study and how each stands, one a line.
SUMMARY := summary=$$($(BIN)/snakemake --cores all --quiet host $(CONFIGFILE) --summary -- all)

# The data on its own first, so that a data set that was fetched anew counts by its content when the runs are planned.
run: $(RUN_PACKAGES)
	$(SNAKEMAKE) data all

data: $(RUN_PACKAGES)
	$(SNAKEMAKE) data

test: $(TEST_PACKAGES)
	$(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile

soak: $(TEST_PACKAGES)
	KILLS=60 $(if $(SEED),SEED=$(SEED)) $(BIN)/python -m pytest -s tests/test_workflow_kill.py

check: $(TEST_PACKAGES)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/mypy

format: $(TEST_PACKAGES)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow

report: $(RUN_PACKAGES)
	@$(OVERLAYS) && if [ ! -f results/tables/replication.csv ]; then \
		echo "There are no results to report yet: make run makes them, make report-partial those of the runs so far." >&2; \
		exit 1; fi && $(BIN)/snakemake --cores all --report results/report.html $(CONFIGFILE) -- all

# Tables and figures over the records that exist; the others are rows with status `missing`.
report-partial: $(RUN_PACKAGES)
	$(OVERLAYS) && $(ATTENDED) --configfile $$overlays config/partial.yaml -- all

# Runs again what ended out of memory, diverged or refused, or has a damaged record.
retry: $(RUN_PACKAGES)
	@$(OVERLAYS) && records=$$($(PACKAGE) reporting.retry results/tables/runs.csv) && \
	if [ -n "$$records" ]; then \
		$(SUMMARY) && echo "$$summary" | $(PACKAGE) reporting.retry results/tables/runs.csv --config $$overlays && \
		$(ATTENDED) $(CONFIGFILE) --forcerun $$records -- all; fi

# Trains to the end and under a budget, and holds the estimates against the times: results/tables/estimate_validation.csv.
validate-estimates: $(RUN_PACKAGES)
	overlays=$$($(PACKAGE) planning.config_files config/validate_estimates.yaml $(CONFIG)) && \
	$(ATTENDED) --configfile $$overlays -- data results/tables/estimate_validation.csv

status: $(RUN_PACKAGES)
	@$(OVERLAYS) && $(SUMMARY) && echo "$$summary" | $(PACKAGE) planning.status $$overlays

verify:
	@$(CHECKER) lineage verify "$(RESULTS)"

trace:
	@$(CHECKER) lineage trace $(if $(FILE),"$(FILE)")

# One zip with results, configuration and code; without the decoded images: DATA=no; as they are: UNVERIFIED=yes.
archive:
	@$(CHECKER) crating.archive "$(ARCHIVE)" --config $(CONFIG) $(if $(filter no,$(DATA)),--without-data) \
		$(if $(filter yes,$(UNVERIFIED)),--unverified)

environment:
	@if [ ! -x $(BIN)/python ]; then \
		echo "ENV=$(ENV) is no environment, expected a folder with bin/python: name one, or leave it out for .venv." >&2; \
		exit 1; fi

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python %d.%d is too old: 3.11 or newer is needed; name one with make PYTHON=..." % sys.version_info[:2])'
	$(PYTHON) -m venv .venv

.venv/.run: requirements.txt | .venv/bin/python
	.venv/bin/python -m pip install --quiet --requirement requirements.txt
	touch $@

.venv/.test: requirements-test.txt requirements-slurm.txt .venv/.run | .venv/bin/python
	.venv/bin/python -m pip install --quiet --requirement requirements-test.txt
	touch $@

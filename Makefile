# Everything a developer does, one command each. Needs Python 3.11+, make and git; uv is brought along when missing.

.DEFAULT_GOAL := help
.PHONY: help demo install format lint typecheck test bench bench-server docs schema settings clean

RUN = sh scripts/run

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo: ## Play a bundled agent's tests: no key, no network, a few seconds
	@$(RUN) runtime greenroom demo
	@command -v greenroom >/dev/null || echo '       . .venv/bin/activate        makes greenroom a command of this shell'

install: ## Set up .venv with everything for developing Greenroom
	@$(RUN) dev python -c 'print("Ready: .venv holds Greenroom and its tools.")'

format: ## Format the code and fix what can be fixed by itself
	@$(RUN) dev ruff check --fix-only --quiet .
	@$(RUN) dev ruff format .

lint: ## Check style, formatting, file lengths and who may import whom
	@$(RUN) dev ruff check .
	@$(RUN) dev ruff format --check .
	@$(RUN) dev python scripts/check_lengths.py
	@$(RUN) dev lint-imports --no-logo

typecheck: ## Check the types, strictly
	@$(RUN) dev basedpyright

test: ## Run all tests (ARGS="-k booking" passes options on to pytest)
	@$(RUN) dev pytest -n auto --maxprocesses 4 $(ARGS)

bench: ## Measure speed and memory against a hand-written loop (some minutes)
	@$(RUN) dev python -m benchmarks $(ARGS)

bench-server: ## Measure the service: queue, live talks, pages, two workers, kills (an hour; ARGS=--quick)
	@$(RUN) dev python -m benchmarks.server $(ARGS)

docs: ## Run every example in README and docs, and draw the picture of a run again
	@$(RUN) dev pytest tests/acceptance/test_docs.py tests/unit/docs $(ARGS)
	@$(RUN) dev python scripts/picture.py

schema: ## Write schema/greenroom.schema.json from the models
	@$(RUN) dev python scripts/write_schema.py

settings: ## Write the table of the service's settings into docs/operations.md
	@$(RUN) dev python scripts/write_settings.py

clean: ## Remove what these commands made: environment, private tools, caches
	rm -rf .venv .tools build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
MODULE := .venv/bin/python -m
# The tests start some thousand processes: what one of them has compiled serves the others.
unexport PYTHONDONTWRITEBYTECODE
# Half as many again as there are cores: most tests wait for servers and disks half of their time.
WORKERS := $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
PYTEST := $(MODULE) pytest -n $(WORKERS) --dist worksteal
LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links
# What axe-playwright-python asks for beside the script that is read from it: docs/decisions/0076-seen-not-assumed.md.
NOT_INSTALLED := playwright greenlet pyee

# A value as one word of the shell, whatever it holds.
quote = '$(subst ','\'',$(1))'

PROMPT ?=
RUN ?=
FILES ?=
TO ?=
CERTIFICATE ?=
SAMPLE ?=
DRAFTS ?=
INTO ?=
ARGS ?=

.PHONY: help init doctor config open eval eval-chat compare sweep score score-traces ab harvest accept-drafts mix calibrate review review-report rescore compare-change nightly approve-baseline sync push-prompts promote verify runs food-table docs images simulate mutation-test crisis-table fit-words stuffing-table validate-rubric choose-amounts validate faults lock test test-quick check check-long format bench bench-scale clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { \
	  line = sprintf("  %-16s", $$1); count = split($$2, words, " "); \
	  for (i = 1; i <= count; i++) { \
	    word = words[i]; while (gsub(/"/, "\"", word) % 2 && i < count) word = word " " words[++i]; \
	    if (word == "make" || length(line) + 1 + length(word) > 80) { print line; line = sprintf("%18s", "") } \
	    line = line " " word } \
	  print line }' $(MAKEFILE_LIST)
	@echo '  ARGS="..." passes further flags to the script behind a target: ARGS=--help'

.venv/runtime: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=python3.12 or similar")'
	@$(PYTHON) scripts/setup/install.py requirements.lock .venv
	@touch $@

.venv/development: requirements-dev.lock .venv/runtime
	@$(PYTHON) scripts/setup/install.py requirements-dev.lock .venv
	@touch $@

init: .venv/runtime ## write a workspace of your own that runs at once: make init FOLDER=../mine; ARGS="--template support"
	@$(if $(FOLDER),,echo 'say where to: make init FOLDER=../mine' >&2; exit 2)
	@$(MODULE) scripts.init_workspace $(call quote,$(FOLDER)) $(ARGS)

doctor: .venv/runtime ## try what is set (keys, endpoint, judge, Langfuse, folders), and say what to do where it does not work
	@$(MODULE) scripts.doctor $(ARGS)

config: .venv/runtime ## what is set, and which variable or file says it
	@$(MODULE) scripts.show_config $(ARGS)

open: .venv/runtime ## open the report that was written last, or another: make open RUN=RUN_ID (or RUN=index)
	@$(MODULE) scripts.open_page $(if $(RUN),$(call quote,$(RUN))) $(ARGS)

eval: .venv/runtime ## evaluate one prompt version: make eval PROMPT=latest
	@$(MODULE) scripts.evaluate_prompts $(if $(PROMPT),--prompt $(call quote,$(PROMPT))) $(ARGS)

score: .venv/runtime ## score existing responses without a model call: make score FILE=responses.jsonl
	@$(if $(FILE),,echo 'say which file: make score FILE=responses.jsonl' >&2; exit 2)
	@$(MODULE) scripts.score_responses $(call quote,$(FILE)) $(ARGS)

score-traces: .venv/runtime ## score a sample of what is live, from Langfuse, by rule and by a judge; ARGS="--days 14 --judge 100", "--write-back", "--resume ID"
	@$(MODULE) scripts.score_traces $(ARGS)

ab: .venv/runtime ## which of two versions in production is better, or how much longer the test takes: make ab BASE=v2 PROMPT=v3; ARGS="--since TIME --horizon DAYS --margin X", then "--name NAME"
	@$(MODULE) scripts.read_ab_test $(if $(BASE),--base $(call quote,$(BASE))) $(if $(PROMPT),--prompt $(call quote,$(PROMPT))) $(ARGS)

harvest: .venv/runtime ## turn what users said into draft scenarios, masked, for a person to accept; SAMPLE= an id or FILE, ARGS="--worst 10", "--dataset NAME", "--judge"
	@$(MODULE) scripts.harvest_traces $(if $(SAMPLE),$(call quote,$(SAMPLE))) $(ARGS)

accept-drafts: .venv/runtime ## take accepted drafts into a scenario file, and remember rejected ones: make accept-drafts DRAFTS=drafts/NAME.yaml INTO=SET.yaml
	@$(if $(DRAFTS),,echo 'say which drafts: make accept-drafts DRAFTS=drafts/NAME.yaml INTO=SET.yaml' >&2; exit 2)
	@$(MODULE) scripts.accept_drafts $(call quote,$(DRAFTS)) $(if $(INTO),--into $(call quote,$(INTO))) $(if $(REVIEWER),--reviewer $(call quote,$(REVIEWER))) $(ARGS)

mix: .venv/runtime ## how often users say what each scenario says, from a sample of production: make mix RUN=last, then make eval ARGS="--mix mix.yaml"
	@$(MODULE) scripts.write_mix $(call quote,$(or $(RUN),last)) $(ARGS)

eval-chat: .venv/runtime ## evaluate a recipe assistant over HTTP: the one at CHAT_FLOW_URL, or the embedded sample
	@$(MODULE) scripts.evaluate_chat_flow $(ARGS)

compare: .venv/runtime ## which version is better, and how sure: make compare BASE=production PROMPT=latest
	@$(MODULE) scripts.compare_prompts $(if $(BASE),--base $(call quote,$(BASE))) $(if $(PROMPT),--prompt $(call quote,$(PROMPT))) $(ARGS)

compare-change: .venv/runtime ## what a branch does to the prompts in production: make compare-change BASE=main
	@$(if $(BASE),,echo 'say against which commit: make compare-change BASE=main' >&2; exit 2)
	@$(MODULE) scripts.compare_change $(call quote,$(BASE)) $(ARGS)

sweep: .venv/runtime ## how parameters move the quality of texts: make sweep TEMPERATURES=0.3,0.7,1.2 (PROMPT=v3 above the tasks)
	@$(MODULE) scripts.sweep_parameters $(if $(filter undefined,$(origin TEMPERATURES)),,--vary $(call quote,temperature=$(TEMPERATURES))) $(if $(PROMPT),--prompt $(call quote,$(PROMPT))) $(ARGS)

rescore: .venv/runtime ## score or judge a stored run again, without generating: make rescore RUN=last ARGS="--judge-model NAME"
	@$(if $(RUN),,echo 'say which run: make rescore RUN=RUN_ID (or RUN=last)' >&2; exit 2)
	@$(MODULE) scripts.rescore_run $(call quote,$(RUN)) $(ARGS)

calibrate: .venv/runtime ## agreement with human ratings: make calibrate FILE=ratings.jsonl
	@$(if $(FILE),,echo 'say which file: make calibrate FILE=ratings.jsonl' >&2; exit 2)
	@$(MODULE) scripts.calibrate $(call quote,$(FILE)) $(ARGS)

review: .venv/runtime ## score responses yourself: make review RUN=last REVIEWER=ana (or FILE=records.jsonl); ARGS="sheet ..." works offline
	@$(if $(or $(REVIEWER),$(ARGS)),,echo 'say who reviews what: make review RUN=last REVIEWER=ana' >&2; exit 2)
	@$(MODULE) scripts.review $(if $(REVIEWER),walk $(if $(RUN),$(call quote,$(RUN))) $(if $(FILE),--file $(call quote,$(FILE))) --reviewer $(call quote,$(REVIEWER))) $(ARGS)

review-report: .venv/runtime ## what the reviews say, week by week, beside judge and checks
	@$(MODULE) scripts.review_report $(ARGS)

nightly: .venv/runtime ## watch over production: evaluate it and hold it against its baseline
	@$(MODULE) scripts.nightly $(ARGS)

approve-baseline: .venv/runtime ## make a run the baseline of its prompt: make approve-baseline RUN=RUN_ID
	@$(if $(RUN),,echo 'say which run: make approve-baseline RUN=RUN_ID (or RUN=last)' >&2; exit 2)
	@$(MODULE) scripts.approve_baseline $(call quote,$(RUN)) $(ARGS)

validate: .venv/runtime ## what is wrong with rubrics, scenarios, waivers, gates and prompts: make validate FILES="rubric.yaml scenarios/"
	@$(if $(FILES),,echo 'say which files: make validate FILES="rubric.yaml scenarios/"' >&2; exit 2)
	@$(MODULE) scripts.validate_files $(foreach file,$(FILES),$(call quote,$(file))) $(ARGS)

sync: .venv/runtime ## deliver to Langfuse what it has not confirmed yet
	@$(MODULE) scripts.sync_langfuse $(ARGS)

push-prompts: .venv/runtime ## publish the prompt folder to Langfuse, showing what would change first
	@$(MODULE) scripts.push_prompts $(ARGS)

promote: .venv/runtime ## move a label in Langfuse to a version that is proved, and leave a certificate: make promote PROMPT=v3 TO=production
	@$(MODULE) scripts.promote_prompt $(if $(PROMPT),$(call quote,$(PROMPT))) $(if $(TO),--to $(call quote,$(TO))) $(ARGS)

verify: .venv/runtime ## hold a certificate of a promotion against the files of its runs: make verify CERTIFICATE=certificates/NAME.json
	@$(if $(CERTIFICATE),,echo 'say which one: make verify CERTIFICATE=certificates/NAME.json' >&2; exit 2)
	@$(MODULE) scripts.verify_certificate $(call quote,$(CERTIFICATE)) $(ARGS)

runs: .venv/runtime ## list the runs; ARGS="show RUN_ID", "report RUN_ID", "diff A B", "export RUN_ID --csv FILE", "prune --keep N", "index", "recover"
	@$(MODULE) scripts.manage_runs $(or $(ARGS),list)

bench: .venv/development ## measure speed, memory and staying power, the main job beside a bare loop
	@$(MODULE) benchmarks.main_job
	@$(MODULE) benchmarks.endurance
	@$(MODULE) benchmarks.heuristics
	@$(MODULE) benchmarks.text_quality
	@$(MODULE) benchmarks.delivery
	@$(MODULE) benchmarks.beside_a_run
	@$(MODULE) benchmarks.rate_limits
	@$(MODULE) benchmarks.prompt_cache
	@$(MODULE) benchmarks.growth
	@$(MODULE) benchmarks.large_journal

bench-scale: .venv/development ## measure collections of 1,000 to 100,000 responses by processes and a Dask cluster; ARGS="--most 1000000"
	@$(MODULE) benchmarks.scale $(ARGS)

simulate: .venv/development ## print the simulated tables of docs/statistics.md, docs/judge.md and docs/ab.md; ARGS="--seed N --trials N", "--only opening", "--search"
	@$(MODULE) benchmarks.simulations $(ARGS)

mutation-test: .venv/runtime ## edit good replies in known ways and count what a rubric's rules see: make mutation-test RUBRIC=companion
	@$(MODULE) scripts.mutation_test $(if $(RUBRIC),--rubric $(call quote,$(RUBRIC))) $(ARGS)

crisis-table: .venv/runtime ## danger that a rubric's rules see or miss, and help beside pleasing replies: make crisis-table RUBRIC=companion
	@$(MODULE) scripts.crisis_table $(if $(RUBRIC),--rubric $(call quote,$(RUBRIC))) $(ARGS)

fit-words: .venv/development ## fit the weights of words by which companion-v3 sees danger, help, harmful wishes, understanding, expertise and contempt; ARGS=--write writes them
	@$(MODULE) benchmarks.fitted_words $(ARGS)

stuffing-table: .venv/runtime ## replies made for the score beside plain good ones: make stuffing-table RUBRIC=companion-v3
	@$(MODULE) scripts.stuffing_table $(if $(RUBRIC),--rubric $(call quote,$(RUBRIC))) $(ARGS)

validate-rubric: .venv/runtime ## how far a rubric's rules agree with people: make validate-rubric RUBRIC=companion RATINGS=folder
	@$(if $(RATINGS),,echo 'say which ratings: make validate-rubric RATINGS=folder' >&2; exit 2)
	@$(MODULE) scripts.validate_rubric $(call quote,$(RATINGS)) $(if $(RUBRIC),--rubric $(call quote,$(RUBRIC))) $(ARGS)

choose-amounts: .venv/runtime ## choose a rubric's amounts on people's ratings, and score what each choice was not shown: make choose-amounts RUBRIC=companion-v3 RATINGS=folder
	@$(if $(RATINGS),,echo 'say which ratings: make choose-amounts RATINGS=folder' >&2; exit 2)
	@$(MODULE) scripts.choose_amounts $(call quote,$(RATINGS)) $(if $(RUBRIC),--rubric $(call quote,$(RUBRIC))) $(ARGS)

faults: .venv/development ## inject every fault of docs/reliability.md into real runs, and write what was seen
	@$(MODULE) tests.reliability $(ARGS)

food-table: .venv/development ## what the checks say of 2,269 lines of recipes: ARGS=--misses names the wrong answers, --write updates docs/checks.md
	@$(MODULE) tests.food_probes $(ARGS)

docs: .venv/runtime ## write the generated documents again
	@$(MODULE) scripts.write_docs

images: .venv/development ## play rehearsals and photograph their pages for docs/images: ARGS="--runs DIR" plays nothing
	@$(MODULE) tests.images $(ARGS)

test: .venv/development ## run the tests, but for the long ones
	@$(PYTEST) $(ARGS)

# These wait for nothing: a process more than there are cores would only collect once more.
test-quick: .venv/development ## run the tests of the core, three cases of each, for an answer in half a minute
	@$(PYTEST) -n $$(getconf _NPROCESSORS_ONLN) --hypothesis-profile=quick --most-cases 3 --ignore-glob='*in_browser*' -k 'not megabyte' -m 'not long and not slow' tests/test_layers.py tests/evaluation $(ARGS)

# To rewrite each assert takes a new clone a quarter of a minute a worker: the variables of a test that fails do as well.
check: .venv/development ## tests, format, lint, types, and drift of generated documents
	@$(MODULE) ruff format --check .
	@$(MODULE) ruff check .
	@$(MODULE) scripts.write_docs --check & docs=$$!; trap 'kill $$docs' INT TERM; \
	  $(MODULE) mypy || { types=$$?; kill $$docs; exit $$types; }; \
	  $(PYTEST) --assert=plain --showlocals $(ARGS); tests=$$?; wait $$docs && exit $$tests

check-long: .venv/development ## run the long tests: simulations, all scenarios, the largest grids
	@$(PYTEST) -m long $(ARGS)

lock: .venv/development ## pin every package with its hashes, from requirements.txt and requirements-dev.txt
	@$(LOCK) --output-file requirements.lock requirements.txt
	@$(LOCK) --constraint requirements.lock $(foreach name,$(NOT_INSTALLED),--no-emit-package $(name)) --output-file requirements-dev.lock requirements-dev.txt

format: .venv/development ## format the code
	@$(MODULE) ruff format .
	@$(MODULE) ruff check --fix .

clean: ## remove the environment and caches; runs/ stays
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

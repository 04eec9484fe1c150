# The commands of the project. `make` lists them.
.DEFAULT_GOAL := help
SHELL := bash
CONFORMANCE ?= $(wildcard ../shared/conformance)
# The golden cases of models. Natively, in the component and in the browser they come to the same.
export MCLIVE_CORPUS ?= $(abspath $(wildcard ../shared/inmanta))
# Cargo shows its progress where somebody looks on.
QUIET := $(shell [ -t 2 ] || echo --quiet)
# What tests could not look at on this machine.
LEFT_OUT := $(abspath $(or $(CARGO_TARGET_DIR),target))/left-out.txt
# Acceptance scenarios of elsewhere, as text archives.
SCENARIOS := $(abspath $(or $(CARGO_TARGET_DIR),target))/scenarios
# Everything that has tests.
FEATURES := mclive/agent,mclive-playground/worker,mclive-playground/judge
SAY = @printf '\n\033[1m%s\033[0m\n'

# Real systemd machines are booted by these.
MACHINES := command -v systemd-nspawn >/dev/null && command -v mmdebstrap >/dev/null \
	|| (echo 'Installing systemd-container and mmdebstrap, for tests on real systemd machines' && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd-container mmdebstrap)

.PHONY: help run test test-hosts ready bless agent bench fuzz docs tools corpus browser site

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: tools ## build everything and serve the playground on a local address
	$(SAY) 'Building the page, then serving it on the address below (the first time takes minutes)'
	@cargo run $(QUIET) -p mclive-www -- run

test: tools ## pass every test: units, corpus, agent on a real file system, page in a real browser
	@command -v ip >/dev/null || (echo 'Installing iproute2, for the tests of networks' && apt-get update -qq && apt-get install -y -qq iproute2)
	@command -v strace >/dev/null || (echo 'Installing strace, for the tests of what leaves no trace' && apt-get update -qq && apt-get install -y -qq strace)
	@[ "$$(id -u)" != 0 ] || { $(MACHINES); }
	$(SAY) 'Unit, snapshot, property and agent tests; the first time a root for test machines is made, half a minute'
	@rm -f $(LEFT_OUT)
	@MCLIVE_EMBED=fast MCLIVE_LEFT_OUT=$(LEFT_OUT) cargo test --workspace --features $(FEATURES) --quiet
	@$(MAKE) --no-print-directory corpus browser
	@if [ -s $(LEFT_OUT) ]; then printf '\n\033[1mLeft out on this machine:\033[0m\n'; sort -u $(LEFT_OUT); fi

test-hosts: tools ## apply the cases of tests/hosts on real systemd machines, as root
	@$(MACHINES)
	$(SAY) 'Booting a fresh machine for each case of tests/hosts'
	@MCLIVE_EMBED=fast MCLIVE_MUST_LOOK=1 cargo test $(QUIET) -p mclive --features agent --bin mclive --test hosts -- --nocapture

corpus: ## run the golden cases: the project's own, and ../shared/conformance where it exists
	$(SAY) 'Golden cases'
	@cargo run --quiet -p mclive-tests --bin corpus -- tests/corpus/*/
ifeq ($(CONFORMANCE),)
	@echo 'the golden cases outside of the project, which are not beside this clone' >> $(LEFT_OUT)
else
	@cargo run --quiet -p mclive-tests --bin corpus -- --quiet --passing tests/passing.txt \
	    $(filter-out %/README.md %/scenarios,$(wildcard $(CONFORMANCE)/*))
	$(SAY) 'Acceptance scenarios, on simulated hosts and on a real one'
	@rm -rf $(SCENARIOS) && cargo run --quiet -p mclive-tests --bin scenarios -- $(CONFORMANCE)/scenarios $(SCENARIOS)
	@MCLIVE_EMBED=fast cargo run --quiet -p mclive --features agent -- test $(SCENARIOS)
	@MCLIVE_EMBED=fast cargo run --quiet -p mclive --features agent -- test --real $(SCENARIOS)
endif

browser: site ## test the page in headless Chromium
	$(SAY) 'Browser tests'
	@command -v chromium >/dev/null || (echo 'Installing Chromium' && apt-get update -qq && apt-get install -y -qq chromium)
	@cd www && node --test --test-concurrency=2 --test-reporter=spec ../tests/browser/*.test.mjs

site: tools ## build the page into www/dist
	$(SAY) 'Building the page into www/dist'
	@cargo run $(QUIET) -p mclive-www -- build

agent: tools ## build the native agent with its embedded compiler: target/release/mclive
	$(SAY) 'Building the agent (the first time takes minutes: wasmtime is large)'
	@cargo build $(QUIET) --release -p mclive --features agent
	@echo 'built target/release/mclive'

bless: ## accept what the stages print now: snapshots, and the list of golden cases that pass
	@MCLIVE_BLESS=1 cargo test --workspace --quiet
	@cargo run --quiet -p mclive-tests --bin corpus -- --quiet --passing tests/passing.txt --bless \
	    $(filter-out %/README.md %/scenarios,$(wildcard $(CONFORMANCE)/*))

bench: agent site ## time every stage, whole compilations, the agent beside Ansible and the compiler natively, the server beside nginx
	@cargo bench -p mclive-compiler
	@cargo bench -p mclive-inmanta
	@[ "$$(id -u)" != 0 ] || { $(MACHINES); cargo bench -p mclive --features agent --bench beside; }
	@cargo run --release --quiet -p mclive-tests --bin versus -- $${CARGO_TARGET_DIR:-target}/release/mclive
	@cargo run --release --quiet -p mclive-tests --bin load -- $${CARGO_TARGET_DIR:-target}/release/mclive

# How long `make fuzz` plays, once all is built, and the number that it begins from: another one in each run.
FUZZ_SECONDS ?= 300
FUZZ_SEED := $(or $(FUZZ_SEED),$(shell date +%s))

fuzz: ## play inputs by chance for FUZZ_SECONDS (300): languages, decoders, the brain, the scheduler; findings become tests
	$(SAY) 'Inputs by chance for $(FUZZ_SECONDS) s, from FUZZ_SEED=$(FUZZ_SEED); what fails is kept in tests/findings'
	@failed=0; export MCLIVE_FUZZ_SEED=$(FUZZ_SEED); \
	    MCLIVE_FUZZ_SECONDS=$$(( ($(FUZZ_SECONDS) * 4 + 4) / 5 )) \
	        cargo test $(QUIET) -p mclive-tests --test fuzz -- --test-threads 4 || failed=1; \
	    MCLIVE_MODEL_SECONDS=$$(( ($(FUZZ_SECONDS) + 4) / 5 )) cargo test $(QUIET) -p mclive-engine --lib -- \
	        nothing_is_lost_stuck_or_out_of_order --nocapture || failed=1; \
	    exit $$failed

docs: ## the Rust documentation, of what is private as well, without warnings
	@RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' cargo doc --workspace --no-deps --document-private-items --quiet

ready: test docs ## all that a change must pass: tests, formatting, lints, docs, licences
	$(SAY) 'Formatting and lints'
	@cargo fmt --all --check
	@MCLIVE_EMBED=none cargo clippy --workspace --features $(FEATURES) --all-targets --quiet -- -D warnings
	$(SAY) 'Licences of what we depend on'
	@cargo run --quiet -p mclive-tests --bin licences

tools: ## install what is missing: the wasm target (npm packages and Chromium come when they are needed)
	@rustup target list --installed | grep -q wasm32-unknown-unknown \
	    || (echo 'Installing the wasm target' && rustup target add wasm32-unknown-unknown)

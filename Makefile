# The commands of the project. `make` lists them.
.DEFAULT_GOAL := help
SHELL := bash
# Cargo shows its progress where somebody looks on.
QUIET := $(shell [ -t 2 ] || echo --quiet)
SAY = @printf '\n\033[1m%s\033[0m\n'
# Builds everything once, runs all suites or those that ONLY names, and tells at the end what failed.
GATE = cargo run --quiet -p mclive-gate --

# Real systemd machines are booted by these.
MACHINES := command -v systemd-nspawn >/dev/null && command -v mmdebstrap >/dev/null \
	|| (echo 'Installing systemd-container and mmdebstrap, for tests on real systemd machines' && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd-container mmdebstrap)

.PHONY: help run test test-hosts ready bless agent bench fuzz docs tools installed corpus browser site

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: tools ## build everything and serve the playground on a local address
	$(SAY) 'Building the page, then serving it on the address below (the first time takes minutes)'
	@cargo run $(QUIET) -p mclive-www -- run

test: installed ## pass every test: units, corpus, agent on a real file system, page in a real browser (ONLY='agent corpus': those suites)
	@$(GATE) test $(ONLY)

ready: installed ## all that a change must pass: the tests, formatting, lints, documentation, licences
	@$(GATE) ready $(ONLY)

test-hosts: installed ## apply the cases of tests/hosts on real systemd machines, as root
	@MCLIVE_MUST_LOOK=1 $(GATE) test hosts

corpus: installed ## run the golden cases: the project's own, and ../shared/conformance where it exists
	@$(GATE) test corpus golden gallery scenarios

browser: installed ## test the page in headless Chromium
	@$(GATE) test site browser

site: tools ## build the page into www/dist
	$(SAY) 'Building the page into www/dist'
	@cargo run $(QUIET) -p mclive-www -- build

agent: tools ## build the native agent with its embedded compiler: target/release/mclive
	$(SAY) 'Building the agent (the first time takes minutes: wasmtime is large)'
	@cargo build $(QUIET) --release -p mclive --features agent
	@echo 'built target/release/mclive'

bless: ## accept what the stages print now: snapshots, and the list of golden cases that pass
	@MCLIVE_BLESS=1 cargo test --workspace --quiet

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
	@$(GATE) ready docs

tools: ## install what a build needs: the wasm target (npm packages come when they are needed)
	@rustup target list --installed | grep -q wasm32-unknown-unknown \
	    || (echo 'Installing the wasm target' && rustup target add wasm32-unknown-unknown)

# What the tests need. Each line says what it installs.
installed: tools
	@command -v ip >/dev/null || (echo 'Installing iproute2, for the tests of networks' && apt-get update -qq && apt-get install -y -qq iproute2)
	@command -v strace >/dev/null || (echo 'Installing strace, for the tests of what leaves no trace' && apt-get update -qq && apt-get install -y -qq strace)
	@command -v chromium-headless-shell >/dev/null || (echo 'Installing Chromium, for the tests of the page' && apt-get update -qq \
	    && (apt-get install -y -qq chromium-headless-shell || command -v chromium >/dev/null || apt-get install -y -qq chromium))
	@[ "$$(id -u)" != 0 ] || { $(MACHINES); }

# The commands of the project. `make` lists them.
.DEFAULT_GOAL := help
SHELL := bash
# Show cargo's progress on a terminal only.
QUIET := $(shell [ -t 2 ] || echo --quiet)
SAY = @printf '\n\033[1m%s\033[0m\n'
# Build everything once, run all suites or those in ONLY, and report failures at the end.
GATE = cargo run --quiet -p mclive-gate --

# The etcd of the tests of shared stores. It is only unpacked: the package would start a service.
TOOLS := $${MCLIVE_CACHE:-$$HOME/.cache/mclive}
ETCD := command -v etcd >/dev/null || test -x "$(TOOLS)/etcd/usr/bin/etcd" \
	|| (echo 'Unpacking etcd for the tests of shared stores' && mkdir -p "$(TOOLS)/etcd" && cd "$(TOOLS)/etcd" \
	&& (apt-get -o APT::Sandbox::User=root download -qq etcd-server || (apt-get update -qq && apt-get -o APT::Sandbox::User=root download -qq etcd-server)) \
	&& dpkg -x etcd-server_*.deb . && rm etcd-server_*.deb)

# Tools that boot real systemd machines.
MACHINES := command -v systemd-nspawn >/dev/null && command -v mmdebstrap >/dev/null \
	|| (echo 'Installing systemd-container and mmdebstrap for the tests on real systemd machines' && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd-container mmdebstrap)

.PHONY: help run test test-hosts ready bless agent fleet bench load kills fuzz docs tools installed corpus browser site

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: tools ## build everything and serve the playground on a local address
	$(SAY) 'Building the page, then serving it at the address below (the first build takes minutes)'
	@cargo run $(QUIET) -p mclive-www -- run

test: installed ## run all tests: units, corpus, agent on a real file system, page in a real browser (ONLY='agent corpus': only these suites)
	@$(GATE) test $(ONLY)

ready: installed ## run everything that a change must pass: tests, formatting, lints, documentation, licences
	@$(GATE) ready $(ONLY)

test-hosts: installed ## run the cases in tests/hosts on real systemd machines, as root
	@MCLIVE_MUST_LOOK=1 $(GATE) test hosts

corpus: installed ## run the golden cases: the project's own, and ../shared/conformance if it exists
	@$(GATE) test corpus golden gallery scenarios

browser: installed ## test the page in headless Chromium and Firefox
	@$(GATE) test site browser

site: tools ## build the page into www/dist
	$(SAY) 'Building the page into www/dist'
	@cargo run $(QUIET) -p mclive-www -- build

agent: site ## build the native agent, which contains the compiler and the page: target/release/mclive
	$(SAY) 'Building the agent (the first build takes minutes because of wasmtime)'
	@cargo build $(QUIET) --release -p mclive --features agent
	@echo 'built target/release/mclive'

# Where `make fleet` keeps its program, logs and the files of its hosts.
FLEET ?= $${CARGO_TARGET_DIR:-target}/fleet

fleet: agent ## try many hosts on this machine: an etcd cluster with three members and five agents, until ^C
	@$(ETCD)
	@cargo run $(QUIET) -p mclive-tests --bin fleet -- $${CARGO_TARGET_DIR:-target}/release/mclive $(FLEET)

bless: ## accept the current output: update snapshots and the list of passing golden cases
	@MCLIVE_BLESS=1 cargo test --workspace --quiet

# The number of stored programs in the bench of the server, and of hosts that share a store.
LOAD_PROGRAMS ?= 1000000
LOAD = cargo run --release --quiet -p mclive-tests --bin load -- $${CARGO_TARGET_DIR:-target}/release/mclive --programs $(LOAD_PROGRAMS)
WORLD_HOSTS ?= 100 1000 5000

bench: agent site ## benchmark each stage, whole compilations, the agent (compared with Ansible), WORLD_HOSTS (100 1000 5000) hosts on one etcd, and the server (compared with nginx, with LOAD_PROGRAMS (1000000) stored programs)
	@cargo bench -p mclive-compiler
	@cargo bench -p mclive-inmanta
	@cargo bench -p mclive --features agent --bench turns
	@[ "$$(id -u)" != 0 ] || { $(MACHINES); cargo bench -p mclive --features agent --bench beside; }
	@$(ETCD)
	@MCLIVE_HOSTS='$(WORLD_HOSTS)' cargo test --release --quiet -p mclive --features agent --bin mclive -- \
	    host::world::scale::each_host_knows_what_it_follows_and_nothing_of_the_others --exact --nocapture
	@cargo run --release --quiet -p mclive-tests --bin versus -- $${CARGO_TARGET_DIR:-target}/release/mclive
	@$(LOAD)

load: agent site ## benchmark the server alone, compared with nginx, with LOAD_PROGRAMS (1000000) stored programs: 5 GB in TMPDIR
	@$(LOAD)

# The number of kills of the server, and of hosts that share a store. `make test` makes 30 and 12.
KILLS ?= 1000
HOST_KILLS ?= 200

kills: ## kill the server KILLS times (1000) while programs are stored, and hosts that share a store HOST_KILLS times (200): every program that was answered must open, and the hosts must agree
	$(SAY) 'Killing the server $(KILLS) times under writes'
	@MCLIVE_KILLS=$(KILLS) cargo test $(QUIET) -p mclive --features agent --test agent -- \
	    server::links::what_was_answered_survives_every_kill --exact --nocapture
	$(SAY) 'Killing hosts that share a store $(HOST_KILLS) times'
	@$(ETCD)
	@MCLIVE_KILLS=$(HOST_KILLS) cargo test $(QUIET) -p mclive --features agent --test agent -- \
	    five::hosts::hosts_that_are_killed_at_random_agree_again --exact --nocapture

# Duration of `make fuzz`, not counting the build, and its seed, which differs in each run.
FUZZ_SECONDS ?= 300
FUZZ_SEED := $(or $(FUZZ_SEED),$(shell date +%s))

fuzz: ## fuzz languages, decoders, engine, scheduler and fleets for FUZZ_SECONDS (300); findings become tests
	$(SAY) 'Fuzzing for $(FUZZ_SECONDS) s with FUZZ_SEED=$(FUZZ_SEED); failing inputs are saved to tests/findings'
	@failed=0; export MCLIVE_FUZZ_SEED=$(FUZZ_SEED); \
	    MCLIVE_FUZZ_SECONDS=$$(( ($(FUZZ_SECONDS) * 4 + 4) / 5 )) \
	        cargo test $(QUIET) -p mclive-tests --test fuzz -- --test-threads 4 || failed=1; \
	    MCLIVE_MODEL_SECONDS=$$(( ($(FUZZ_SECONDS) + 4) / 5 )) cargo test $(QUIET) -p mclive-engine --lib -- \
	        nothing_is_lost_stuck_or_out_of_order --nocapture || failed=1; \
	    MCLIVE_MODEL_SECONDS=$$(( ($(FUZZ_SECONDS) + 9) / 10 )) cargo test $(QUIET) -p mclive-compiler --lib -- \
	        hosts_that_share_a_world_agree_and_leave_nothing_behind --nocapture || failed=1; \
	    exit $$failed

docs: ## build the Rust documentation, including private items, without warnings
	@$(GATE) ready docs

tools: ## install the build tools: the wasm target (npm packages are installed on demand)
	@rustup target list --installed | grep -q wasm32-unknown-unknown \
	    || (echo 'Installing the wasm target' && rustup target add wasm32-unknown-unknown)

# Tools that the tests need. Each line prints what it installs.
installed: tools
	@command -v ip >/dev/null || (echo 'Installing iproute2 for the network tests' && apt-get update -qq && apt-get install -y -qq iproute2)
	@command -v strace >/dev/null || (echo 'Installing strace for the tests of read-only commands' && apt-get update -qq && apt-get install -y -qq strace)
	@command -v chromium-headless-shell >/dev/null || (echo 'Installing Chromium for the browser tests' && apt-get update -qq \
	    && (apt-get install -y -qq chromium-headless-shell || command -v chromium >/dev/null || apt-get install -y -qq chromium))
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || (echo 'Installing Firefox for the browser tests' \
	    && apt-get update -qq && apt-get install -y -qq firefox-esr)
	@$(ETCD)
	@[ "$$(id -u)" != 0 ] || { $(MACHINES); }

# wattd: `make` alone lists the targets.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
BIN     ?= bin/wattd
CORPUS  ?= ../shared/corpus
SOAK    ?= 300000
EDITS   ?= 20000
SEED    ?= 100001
BENCH   ?= default
RESULTS ?= bench/results.md

# The default build is static and the same bytes wherever it is built: no cgo, no paths, no VCS stamp but VERSION.
GOBUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)"

.PHONY: help build demo test bench corpus soak lint generate

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18
	@echo
	@echo '  VERSION=$(VERSION)  CORPUS=$(CORPUS)  SOAK=$(SOAK)  EDITS=$(EDITS)  SEED=$(SEED)  BENCH=$(BENCH)  RESULTS=$(RESULTS)'

build: ## build bin/wattd (static, reproducible)
	@$(GOBUILD) -o $(BIN) ./cmd/wattd

demo: build ## simulate the example design and show its glitchiest nets
	@$(BIN) run examples/mac/wattd.toml

test: ## all tests; as root it installs what they need, otherwise it lists what was skipped
	@.ci/prereq
	@go test -json ./... | go run -C tools ./testsum
	@.ci/prereq --check

corpus: ## the designs with known answers in CORPUS; fails when they are absent
	@WATTD_REQUIRE=all WATTD_CORPUS="$(abspath $(CORPUS))" go test -json -timeout 30m -run "Corpus|^TestMicro|^TestDesigns" ./... | go run -C tools ./testsum

soak: ## from SEED on: SOAK random circuits against the independent simulator, EDITS sequences of edits, then the server for long
	@WATTD_CASES=$(SOAK) WATTD_SEED=$(SEED) go test -count=1 -timeout 0 -run '^TestRandom$$' -v ./internal/simtest
	@WATTD_SEQUENCES=$(EDITS) WATTD_SEED=$(SEED) go test -count=1 -timeout 0 -run '^(TestEdits|TestBytes)$$' -v ./internal/workspace
	@WATTD_SOAK=1 go test -count=1 -timeout 0 -run '^Test(EditCycles|Storm|KilledWhileItWrites|StartsAtOnce)$$' -v ./daemon

bench: build ## readers, engine, growth, peers; writes RESULTS (BENCH=small|default|large)
	@go run ./bench -size $(BENCH) -corpus "$(abspath $(CORPUS))" -o $(RESULTS)

lint: ## gofumpt, go vet, staticcheck
	@.ci/lint

generate: ## rewrite the files that are generated and checked in
	@go generate ./...

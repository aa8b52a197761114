# zoo: type `make` for the list of targets.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ENCODINGS   = nope,rope,alibi
LENGTHS     = 5..15+5,21..25+1,20..200

.DEFAULT_GOAL := help
.PHONY: help build setup demo test test-race test-slurm lint golden bench-train clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/zoo
	go build -o bin/zoo ./cmd/zoo

setup: build ## Fetch ONNX Runtime into the user's cache (does nothing when it is there)
	bin/zoo setup

demo: setup ## Train three encodings on this machine, export them, and measure them at lengths 20 to 200
	bin/zoo train --preset tiny --pe $(ENCODINGS) --task copy --resume
	bin/zoo export --pe $(ENCODINGS)
	bin/zoo bench --pe $(ENCODINGS) --task copy --lengths $(LENGTHS) --n 100 -o results/demo.jsonl

test: setup ## Run all tests, with ONNX Runtime required, and the pure-Go build's
	ZOO_REQUIRE_ORT=1 go test ./...
	CGO_ENABLED=0 go test ./...

test-race: setup ## Run all tests under the race detector
	ZOO_REQUIRE_ORT=1 go test -race ./...

test-slurm: setup ## Send sweeps through a real Slurm on this machine; root on Debian installs it
	.ci/slurm

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	go vet -tags slurm ./...
	go run $(STATICCHECK) -tags slurm ./...

golden: ## Rewrite the golden files from what the code does now; review the diff
	UPDATE_GOLDEN=1 go test ./...

# make bench-train BENCH='Step/small/nope' OPERATORS=1 measures less, and tells operators apart.
BENCH ?= Step/(small|base)
bench-train: setup ## Training speed of the presets small and base, as a fraction of ONNX Runtime's matrix products
	ZOO_REQUIRE_ORT=1 go test ./train -run '^$$' -bench '$(BENCH)' -benchtime 10x -timeout 30m $(if $(OPERATORS),-operators)

clean: ## Remove what the other targets built (runs and results stay)
	rm -rf bin

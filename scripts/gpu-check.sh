#!/usr/bin/env bash
# Checks and measures zoo on this machine's graphics card, in one call of at most nine
# minutes: adapter and placement, parity of all encodings, prompts and new tokens by
# length, and training beside PyTorch where that is installed. Needs no network: a zoo
# that is built, the ONNX Runtime library that it finds, and GNU coreutils' timeout.
#
#   scripts/gpu-check.sh [--provider webgpu|cuda] [--out DIR] [--seconds N] [--quick] [ZOO]
#
# --provider  what computes; by default each of the two that "zoo doctor" accepts
# --out       folder for tables.txt and the raw rows; by default results/gpu-check-DATE-TIME
# --seconds   of all together, 60 or more, 540 by default; what is left out for time is listed
# --quick     tiny sizes, for a try without a card; --provider cpu is for that, too
# ZOO         the program, by default bin/zoo
#
# PYTHON names the python3 that has PyTorch. The exit status is 1 if a provider that was
# asked for does not run, or an encoding computes wrongly.
set -euo pipefail
export LC_ALL=C

die() { echo "gpu-check: $*" >&2; exit 1; }

zoo='' providers='' out='' seconds=540 quick=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0"; exit ;;
	--quick) quick=1 ;;
	--provider | --out | --seconds)
		[ $# -gt 1 ] || die "$1 needs a value"
		case $1 in --provider) providers=$2 ;; --out) out=$2 ;; --seconds) seconds=$2 ;; esac
		shift ;;
	-*) die "there is no $1; scripts/gpu-check.sh --help lists what there is" ;;
	*) [ -z "$zoo" ] || die "$1: one program was named already, $zoo"; zoo=$1 ;;
	esac
	shift
done
case $providers in '' | webgpu | cuda | cpu) ;; *) die "--provider $providers: want webgpu or cuda" ;; esac
case $seconds in '' | *[!0-9]* | 0* | ? | [1-5]?) die "--seconds $seconds: want a whole number, 60 or more" ;; esac
zoo=${zoo:-bin/zoo}
[ -x "$zoo" ] || die "there is no program $zoo; make build makes bin/zoo"
command -v timeout >/dev/null || die "there is no timeout; it is part of GNU coreutils (macOS: brew install coreutils)"
python=${PYTHON:-python3}
torch_step=$(dirname "$0")/torch_step.py
out=${out:-results/gpu-check-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -f "$out"/{tables.txt,doctor.txt,parity.jsonl,speed.jsonl,training.jsonl,torch.jsonl,left-out.txt}
: >"$out/left-out.txt"

# What is measured. A cell of training is a preset, the sequences of a step, the tokens of a
# run of the step's graph, and the dropout.
encodings=all
speed_preset=small speed_encodings='rope nope' forms='portable fused float16 bfloat16'
lengths='128 256 512 1024 2048 4096 8192 16384 32768' batches='1 64' new_tokens=32
cpu_tokens=16384 # the largest cell that is measured on the CPU, too
cells='small,64,8192,preset base,64,8192,0 small,1024,65536,preset base,1024,65536,0 base,64,8192,preset
	small,64,512,preset base,64,512,0'
cpu_cells='small,64,512,preset base,64,512,0'
torch_cells='small,64,8192,preset base,64,8192,0 small,1024,65536,preset base,1024,65536,0 base,64,8192,preset'
steps=60 jobs=4 torch_seconds=2
small_model=(--set model.d_model=32 --set model.n_layers=2 --set model.n_heads=4 --set model.d_ff=64)
sizes=()
if [ -n "$quick" ]; then
	encodings=nope,rope,t5
	speed_preset=tiny lengths='16 32 64' batches='1 2' new_tokens=4 cpu_tokens=64
	cells='tiny,8,512,preset tiny,16,1024,0.1' cpu_cells='tiny,8,512,preset' torch_cells=$cells
	steps=12 jobs=1 torch_seconds=0.2
	sizes=("${small_model[@]}")
fi

# A section ends at its share of the time, so that the later ones have theirs, too; what it
# does not need, they have.
until_percent() { deadline=$((seconds * $1 / 100 - 5)); } # 5: to end what runs by then
left() { echo $((deadline - SECONDS)); }

# limited SECONDS COMMAND… runs a command for that long, or until the section ends. Its
# streams are $work/out and $work/err. Where it fails, why is the reason.
limited() {
	local asked=$1 most=$1 rc=0
	shift
	if [ "$(left)" -lt "$most" ]; then most=$(left); fi
	why='no time left'
	if [ "$most" -lt 1 ]; then return 1; fi
	timeout --foreground -k 5 "$most" "$@" >"$work/out" 2>"$work/err" </dev/null || rc=$?
	case $rc in
	0) return 0 ;;
	124 | 137) if [ "$most" = "$asked" ]; then why="more than $most s"; else why="no time left but $most s"; fi ;;
	*) why=$(reason "$work/err") && why=${why:-it ended with status $rc} ;;
	esac
	return 1
}

# reason FILE finds in what a command said why it failed.
reason() {
	awk '/^(zoo|torch_step): |^panic: |^fatal error: |^SIG/ && why == "" { why = $0 } NF { last = $0 }
		END { print why != "" ? why : last }' "$1" | sed 's/^zoo: //' | cut -c1-600
}

# note WHAT WHY remembers what was not measured; leave prints it, too, within 80 columns.
note() { printf '%s: %s\n' "$1" "$2" >>"$out/left-out.txt"; }
leave() {
	note "$@"
	printf '%s: %s\n' "$1" "$2" | cut -c1-80
}

# fields KEY… reads lines of JSON without nesting, and prints of each line the values of the
# keys, with tabs between them and - for what is absent.
fields() {
	awk -v keys="$*" '
		BEGIN { n = split(keys, key, " ") }
		{
			for (i = 1; i <= n; i++) {
				value = "-"
				if (match($0, "\"" key[i] "\": *(\"([^\"\\\\]|\\\\.)*\"|[^,}]*)")) value = substr($0, RSTART, RLENGTH)
				sub(/^"[^"]*": */, "", value)
				gsub(/^"|"$/, "", value)
				printf "%s%s", value, i < n ? "\t" : "\n"
			}
		}'
}

title() { printf '\n%s\n\n' "$*"; }

main() {
	trap 'exit 130' INT
	trap 'exit 143' TERM
	echo "zoo on a graphics card: $(date -u '+%Y-%m-%d %H:%M UTC'), $(uname -sm)${quick:+, --quick: tiny sizes}"
	"$zoo" --version
	if command -v nvidia-smi >/dev/null; then
		nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
	fi
	until_percent 12
	placement
	until_percent 27
	parity
	half_precisions
	until_percent 62
	speed
	until_percent 82
	training
	until_percent 100
	beside_torch
	title "Left out"
	if [ -s "$out/left-out.txt" ]; then fold -s -w 80 "$out/left-out.txt"; else echo "nothing"; fi
	printf '\n%d s; the raw rows are in %s\n' "$SECONDS" "$out"
	if [ -e "$work/wrong" ]; then die "an encoding does not run, or computes wrongly; see parity"; fi
}

placement() {
	local p asked=$providers
	title "Adapter, and where the nodes of copy-rsc-rope run"
	providers=''
	for p in ${asked:-webgpu cuda}; do
		if limited 60 "$zoo" doctor --provider "$p" copy-rsc-rope; then
			providers="$providers $p"
		elif grep -q '^  tiny run *ok' "$work/out"; then # one model's trouble is no reason to measure nothing
			providers="$providers $p"
			note "placement, $p" "$why"
		else
			note "provider $p" "$why"
		fi
		tee -a "$out/doctor.txt" <"$work/out" | fold -s -w 80
	done
	[ -n "$providers" ] || die "no provider runs here: $why"
}

# parity makes a model of each encoding, with large random weights, and compares what it
# computes on the device: its logits, of whole sequences, with those of pure Go in float64,
# and the answers that are generated token by token with the CPU's (the CPU's with pure Go's).
parity() {
	local form p run n=0 rest
	title "Parity: worst error of a logit; answers and loss, token by token, beside the CPU"
	if ! limited 60 "$zoo" train --pe "$encodings" --task copy --lengths 1..3 --steps 1 --batch 4 "${small_model[@]}" \
		--set model.init=t5 --set model.attention_scale=none --runs "$work/parity"; then
		leave "parity" "no models to compare: $why"
		return
	fi
	printf '%-15s %-8s %-8s %10s  %-8s %14s\n' encoding form provider logits answers 'loss differs'
	for form in portable fused; do
		for p in $providers; do
			rest=''
			for run in "$work"/parity/*/; do
				if [ "$(left)" -lt 1 ]; then
					rest="$rest $(encoding_of "$run")"
					continue
				fi
				n=$((n + 1))
				compare "$run" "$form" "$p" "$work/parity-$n" &
				if [ $((n % jobs)) = 0 ]; then collect; fi
			done
			collect
			if [ -n "$rest" ]; then leave "parity, $form, $p: of$rest" "no time left"; fi
		done
	done
}

# encoding_of RUN is what a run of parity is a model of.
encoding_of() { basename "$1" | sed 's/^copy-//; s/-tiny-s1$//'; }

# collect waits for comparisons, and prints and keeps what they found.
collect() {
	local name
	wait
	for name in "$work"/parity-*; do
		if [ ! -d "$name" ]; then continue; fi
		cat "$name/line"
		if [ -e "$name/rows" ]; then cat "$name/rows" >>"$out/parity.jsonl"; fi
		if [ -e "$name/left-out.txt" ]; then cat "$name/left-out.txt" >>"$out/left-out.txt"; fi
		if [ -e "$name/wrong" ]; then touch "$work/wrong"; fi
		rm -rf "$name"
	done
}

# compare RUN FORM PROVIDER FOLDER leaves what it finds in the folder: others compare at
# the same time.
compare() {
	local run=$1 form=$2 p=$3 work=$4 out=$4 encoding error other=cpu
	encoding=$(encoding_of "$run")
	mkdir "$work"
	if ! limited 60 "$zoo" export "$run" --profile "$form" --provider "$p" -o "$work/model.onnx"; then
		fail "logits of $encoding, $form, $p"
		return
	fi
	error=$(sed -n 's/.*worst error //p' "$work/err" "$work/out")
	if [ "$p" = cpu ]; then other=go; fi
	if ! limited 60 "$zoo" bench "$work/model.onnx" --task copy --provider "$other,$p" --lengths 3,20 --n 8 --format jsonl; then
		fail "answers of $encoding, $form, $p"
		return
	fi
	mv "$work/out" "$work/rows"
	fields provider length loss tokens_correct generated_tokens <"$work/rows" |
		awk -v encoding="$encoding" -v form="$form" -v p="$p" -v error="$error" '
		{ loss[$1 == p, $2] = $3; answers[$1 == p, $2] = $4 " " $5 }
		$1 == p { lengths[$2] }
		END {
			verdict = "MISSING"
			for (n in lengths) {
				if (verdict == "MISSING") verdict = "equal"
				if (answers[0, n] != answers[1, n] && verdict == "equal") verdict = "differ"
				d = loss[1, n] - loss[0, n]
				if (d < 0) d = -d
				if (d > worst) worst = d
				if (!(d <= 1e-4 * (loss[0, n] > 1 ? loss[0, n] : 1))) verdict = "WRONG"
			}
			printf "%-15s %-8s %-8s %10s  %-8s %14.1e\n", encoding, form, p, error, verdict, worst
		}' >"$work/line"
	if grep -q 'WRONG\|MISSING' "$work/line"; then touch "$work/wrong"; fi
}

# fail WHAT ends a comparison that another reason than time has ended.
fail() {
	leave "$1" "$why" >"$work/line"
	case $why in 'no time left'* | 'more than '*) ;; *) touch "$work/wrong" ;; esac
}

# half_precisions exports a trained model in the precisions of 16 bits, which compares it with pure
# Go, and its logits and answers with those of the float32 model.
half_precisions() {
	local dtype
	if [[ $providers != *cuda* ]]; then return; fi
	title "Precisions of 16 bits on CUDA, copy-rsc-rope"
	for dtype in float16 bfloat16; do
		if limited 60 "$zoo" export copy-rsc-rope --dtype "$dtype" --provider cuda -o "$work/half.onnx"; then
			sed -n "s/.*, \(verified on\)/$dtype: \1/p" "$work/out" | fold -s -w 80
		else
			fail "copy-rsc-rope in $dtype, cuda"
			cat "$work/line"
		fi
	done
}

# speed measures prompts and new tokens. Where a cell fails, longer ones are left out.
speed() {
	local form encoding p batch
	title "Prompts and new tokens: preset $speed_preset; tokens/s of all rows, ms of a step"
	for encoding in $speed_encodings; do
		if ! limited 60 "$zoo" train --preset "$speed_preset" --pe "$encoding" --task copy --steps 1 --batch 1 \
			${sizes[@]+"${sizes[@]}"} --runs "$work/speed"; then
			leave "speed of $encoding" "no model: $why"
		fi
	done
	printf '%-8s %-8s %-5s %5s %6s %10s %10s %9s %9s\n' provider form pe batch length prompt/s new/s step/ms bus/token
	for form in $forms; do
		if [ "$form" = bfloat16 ] && [[ $providers != *cuda* ]]; then continue; fi
		for encoding in $speed_encodings; do
			if ! export_form "$form" "$encoding"; then continue; fi
			for p in $providers; do
				if [ "$form" = bfloat16 ] && [ "$p" != cuda ]; then continue; fi # no other multiplies it
				for batch in $batches; do series "$p" "$form" "$encoding" "$batch" $((1 << 40)); done
			done
			if [ "$form-$encoding" = portable-rope ] && [ "$providers" != ' cpu' ]; then
				for batch in $batches; do series cpu "$form" "$encoding" "$batch" "$cpu_tokens"; done
			fi
		done
	done
}

# export_form FORM ENCODING writes $work/FORM-ENCODING.onnx.
export_form() {
	local flags=(--profile "$1")
	case $1 in *float16) flags=(--dtype "$1") ;; esac
	if limited 60 "$zoo" export "$work/speed/copy-$2-$speed_preset-s1" "${flags[@]}" --no-verify -o "$work/$1-$2.onnx"; then
		return
	fi
	leave "speed of $2, $1" "no file: $why"
	return 1
}

# series PROVIDER FORM ENCODING BATCH TOKENS measures the lengths of which a batch has at
# most so many tokens, each in a process of its own.
series() {
	local p=$1 form=$2 encoding=$3 batch=$4 most=$5 length repeat failed='' rest=''
	for length in $lengths; do
		if [ $((length * batch)) -gt "$most" ]; then continue; fi
		if [ -n "$failed" ]; then
			rest="$rest $length"
			continue
		fi
		repeat=3
		if [ $((length * batch)) -gt 262144 ]; then repeat=1; fi
		if limited 30 "$zoo" bench "$work/$form-$encoding.onnx" --measure speed --provider "$p" --lengths "$length" \
			--batch "$batch" --new-tokens "$new_tokens" --repeat "$repeat" --format jsonl; then
			cat "$work/out" >>"$out/speed.jsonl"
			fields prefill_tokens_per_second decode_tokens_per_second decode_p50_ms decode_bus_bytes <"$work/out" |
				awk -v p="$p" -v form="$form" -v encoding="$encoding" -v batch="$batch" -v length_="$length" '{
					printf "%-8s %-8s %-5s %5d %6d %10.0f %10.0f %9.2f %9s\n", p, form, encoding, batch, length_,
						$1, $2, $3, $4 == "-" ? "-" : sprintf("%.0f", $4 / batch)
				}'
		else
			failed="$p $form $encoding batch $batch length $length"
			case $why in 'no time left'*) note "$failed" "$why" ;; *) leave "$failed" "$why" ;; esac
		fi
	done
	if [ -n "$rest" ]; then note "$failed" "so these longer ones were not tried:$rest"; fi
}

training() {
	local p cell
	title "Training: tokens/s from the metrics, without the first steps"
	printf '%-8s %-6s %6s %7s %8s %6s %10s %10s\n' provider preset batch run/tok dropout steps tokens/s step/ms
	for cell in $cells; do
		for p in $providers; do train "$p" "$cell"; done
	done
	if [ "$providers" != ' cpu' ]; then
		for cell in $cpu_cells; do train cpu "$cell"; done
	fi
}

# train PROVIDER CELL trains for 15 seconds, or all steps, under $work/PROVIDER-CELL. A run
# that is stopped has its metrics.
train() {
	local p=$1 preset batch micro dropout what flags=() metrics
	IFS=, read -r preset batch micro dropout <<<"$2"
	what="training $p $preset batch $batch, $micro tokens in a run"
	if [ "$dropout" != preset ]; then
		what="$what, dropout $dropout"
		flags=(--set "train.dropout=$dropout")
	fi
	limited 15 "$zoo" train --provider "$p" --preset "$preset" --pe nope --task copy --steps "$steps" --batch "$batch" \
		--set train.micro_tokens="$micro" --set train.checkpoint_every="$steps" \
		${sizes[@]+"${sizes[@]}"} ${flags[@]+"${flags[@]}"} --runs "$work/$p-$2" || true
	rm -f "$work/$p-$2"/*/checkpoint-* # a gigabyte each
	metrics=$(echo "$work/$p-$2"/*/metrics.jsonl)
	if [ ! -s "$metrics" ] || [ "$(wc -l <"$metrics")" -lt 2 ]; then
		leave "$what" "$why"
		return
	fi
	fields tokens seconds <"$metrics" | awk -v p="$p" -v preset="$preset" -v batch="$batch" -v micro="$micro" \
		-v dropout="$dropout" -v rows="$out/training.jsonl" '
		{ tokens[NR] = $1; seconds[NR] = $2 }
		END {
			first = NR < 16 ? int(NR / 2) : 8 # in these kernels are built
			for (i = first + 1; i <= NR; i++) { all += tokens[i]; spent += seconds[i]; n++ }
			printf "%-8s %-6s %6d %7d %8s %6d %10.0f %10.2f\n", p, preset, batch, micro, dropout, n, all / spent,
				1000 * spent / n
			printf "{\"provider\":\"%s\",\"preset\":\"%s\",\"batch\":%d,\"micro_tokens\":%d,\"dropout\":\"%s\"," \
				"\"steps\":%d,\"tokens_per_second\":%.6g,\"step_ms\":%.6g,\"first_step_s\":%.6g}\n", \
				p, preset, batch, micro, dropout, n, all / spent, 1000 * spent / n, seconds[1] >>rows
		}'
}

# beside_torch measures the steps of the cells once more: one for each preset, batch and
# dropout, since PyTorch takes the whole batch at once.
beside_torch() {
	local cell run device=cuda found='import torch; assert torch.cuda.is_available(), "torch sees no card"' runs=()
	title "The same steps in PyTorch"
	if [ -n "$quick" ]; then device=cpu found='import torch'; fi
	if ! limited 60 "$python" -c "$found"; then
		leave "PyTorch with $python" "$why"
		return
	fi
	for cell in $torch_cells; do
		for run in "$work"/*-"$cell"/*/; do
			if [ -s "$run/metrics.jsonl" ]; then runs+=("$run") && break; fi
		done
	done
	if [ ${#runs[@]} = 0 ]; then
		leave "PyTorch" "there is no run of zoo's to compare with"
		return
	fi
	limited "$seconds" "$python" "$torch_step" "${runs[@]}" --device "$device" --seconds "$torch_seconds" || leave PyTorch "$why"
	cp "$work/out" "$out/torch.jsonl"
	printf '%-20s %6s %8s %-8s %-9s %10s %10s\n' run batch dropout mode precision tokens/s step/ms
	fields run batch dropout mode precision tokens_per_second step_ms failed <"$work/out" |
		awk -F '\t' -v left="$out/left-out.txt" '
		$8 == "-" { printf "%-20s %6d %8s %-8s %-9s %10.0f %10.2f\n", $1, $2, $3, $4, $5, $6, $7 }
		$8 != "-" { printf "PyTorch, %s batch %d dropout %s, %s %s: %s\n", $1, $2, $3, $4, $5, $8 >>left }'
}

main | tee "$out/tables.txt"

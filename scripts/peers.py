#!/usr/bin/env python3
"""Compare the speed of generating with zoo and with onnxruntime-genai, in one run.

The peer is a Llama with the layers, width and heads of zoo's preset small, and a gated
feed-forward of the same work; its ONNX file comes from onnxruntime-genai's own builder.
Both generate with float32 weights on the CPU, take turns at every cell, and the best
of the rounds counts. Needs packages that zoo itself does not:

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install onnxruntime-genai==0.18.0 onnx onnx_ir transformers torch tqdm
    make build && /tmp/peers/bin/python scripts/peers.py --zoo bin/zoo

Results are not part of any test.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import needs

CELLS = "32x1,512x1,4096x1,32x32,512x32,4096x8"
NEW_TOKENS = 32


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--encodings", default="nope,rope", help="encodings of the zoo models")
    p.add_argument("--cells", default=CELLS, help=f"lengths x batch sizes (default {CELLS})")
    p.add_argument("--rounds", type=int, default=3, help="how often each cell is measured")
    p.add_argument("--work", help="folder to make the models in, and to find them in again (default: a temporary one)")
    p.add_argument("--json", action="store_true", help="write JSON lines")
    p.add_argument("--peer-cell", help=argparse.SUPPRESS)  # this program calls itself
    a = p.parse_args()
    if a.peer_cell:
        return measure_peer(a.work, *map(int, a.peer_cell.split("x")))
    needs.packages(__doc__, "onnxruntime_genai", "onnx", "onnx_ir", "transformers", "torch", "tqdm")
    needs.program(__doc__, a.zoo)
    a.zoo = os.path.abspath(a.zoo)
    with tempfile.TemporaryDirectory() as temporary:
        work = os.path.abspath(a.work or temporary)
        os.makedirs(work, exist_ok=True)
        files = build_zoo(a.zoo, work, a.encodings.split(","))
        build_peer(work)
        compare(a, work, files)


def compare(a, work, files):
    if not a.json:
        print("best of", a.rounds, "rounds; decode: tokens/s of all rows; prompt: ms; ratio: speed over genai's")
        print(f"{'length':>6} {'batch':>5}  {'model':<16} {'decode':>9} {'ratio':>6} {'roofline':>8} "
              f"{'prompt':>9} {'ratio':>6}")
    for cell in a.cells.split(","):
        length, batch = map(int, cell.split("x"))
        best = {}
        for _ in range(a.rounds):
            keep(best, "genai", run([sys.executable, __file__, "--work", work, "--peer-cell", cell])[-1])
            for name, path in files.items():
                row = run([a.zoo, "bench", path, "--measure", "speed", "--lengths", str(length), "--batch", str(batch),
                           "--new-tokens", str(NEW_TOKENS), "--format", "jsonl"])[-1]
                keep(best, name, {"step_ms": row["decode_p50_ms"], "prompt_ms": row["prefill_ms"],
                                  "roofline": row["decode_roofline"]})
        for name, r in best.items():
            result = {"length": length, "batch": batch, "model": name, "tokens_per_second": 1e3 * batch / r["step_ms"],
                      "ratio": best["genai"]["step_ms"] / r["step_ms"], "prompt_ms": r["prompt_ms"],
                      "prompt_ratio": best["genai"]["prompt_ms"] / r["prompt_ms"], "roofline": r.get("roofline")}
            if a.json:
                print(json.dumps(result), flush=True)
                continue
            roofline = "" if result["roofline"] is None else f"{100 * result['roofline']:.0f} %"
            print(f"{length:>6} {batch:>5}  {name:<16} {result['tokens_per_second']:>9.0f} {result['ratio']:>6.2f} "
                  f"{roofline:>8} {r['prompt_ms']:>9.1f} {result['prompt_ratio']:>6.2f}", flush=True)


def keep(best, name, result):
    """Keep the smaller of each time; the roofline belongs to the step."""
    old = best.setdefault(name, result)
    if result["step_ms"] < old["step_ms"]:
        old["step_ms"], old["roofline"] = result["step_ms"], result.get("roofline")
    old["prompt_ms"] = min(old["prompt_ms"], result["prompt_ms"])


def run(command):
    """Run a command and return the JSON lines that it writes."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"peers: {' '.join(command)}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def build_zoo(zoo, work, encodings):
    """Make a file of each encoding and profile; the weights do not matter to speed."""
    files = {}
    for encoding in encodings:
        runs = os.path.join(work, "runs")
        run([zoo, "train", "--preset", "small", "--pe", encoding, "--runs", runs, "--steps", "1", "--batch", "1",
             "--resume"])
        for profile in "portable", "fused":
            path = os.path.join(work, f"{encoding}.{profile}.onnx")
            run([zoo, "export", "--pe", encoding, "--runs", runs, "--profile", profile, "--no-verify", "-o", path])
            files[f"{encoding} {profile}"] = path
    return files


def build_peer(work):
    """Make the peer's model, in work/genai."""
    out = os.path.join(work, "genai")
    if os.path.exists(os.path.join(out, "genai_config.json")):
        return
    from tokenizers import Tokenizer, models
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    weights = os.path.join(work, "llama")
    LlamaForCausalLM(LlamaConfig(
        hidden_size=256, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=4,
        intermediate_size=682,  # three products of it are the work of two with 1024
        vocab_size=110, tie_word_embeddings=True, max_position_embeddings=65536,
        bos_token_id=1, eos_token_id=2, pad_token_id=0)).save_pretrained(weights)
    words = {"<pad>": 0, "<s>": 1, "</s>": 2}  # the builder wants a tokenizer, which is not used
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="<pad>")),
                            bos_token="<s>", eos_token="</s>", pad_token="<pad>").save_pretrained(weights)
    done = subprocess.run([sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", weights, "-o", out,
                           "-p", "fp32", "-e", "cpu"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"peers: onnxruntime-genai's builder made no model\n{done.stderr}")


def measure_peer(work, length, batch):
    """Print the time of the prompt with its first token, and of a step after it, in ms."""
    import numpy
    import onnxruntime_genai as genai

    model = genai.Model(os.path.join(work, "genai"))
    prompt = numpy.random.default_rng(1).integers(3, 100, (batch, length)).astype(numpy.int32)
    prompts, steps = [], []
    for _ in range(4):  # the first warms up
        params = genai.GeneratorParams(model)
        most = length + NEW_TOKENS
        params.set_search_options(max_length=most, min_length=most, batch_size=batch, do_sample=False,
                                  past_present_share_buffer=True)
        generator = genai.Generator(model, params)
        start = time.perf_counter()
        generator.append_tokens(prompt)
        generator.generate_next_token()
        prompts.append(time.perf_counter() - start)
        times = []
        for _ in range(NEW_TOKENS - 1):
            start = time.perf_counter()
            generator.generate_next_token()
            times.append(time.perf_counter() - start)
        steps.append(sorted(times)[len(times) // 2])
    print(json.dumps({"step_ms": 1e3 * min(steps[1:]), "prompt_ms": 1e3 * min(prompts[1:])}))


if __name__ == "__main__":
    main()

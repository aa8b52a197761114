#!/usr/bin/env python3
"""Run zoo on decoders that other programs exported, and compare with the library that they come from.

Builds tiny GPT-2, Llama and Qwen2 models with random weights, and tokenizers trained on a few lines, exports
them with torch.onnx (through TorchScript and through dynamo), Optimum and onnxruntime-genai's builder, and
writes beside each what transformers computes: logits of prompts and greedy answers. Then the test Others of
package export/foreign opens every one as it is, in Go, and zoo's own verbs run on it. Needs packages that zoo
itself does not, in two environments, since Optimum wants an older transformers than onnxruntime-genai:

    python3 -m venv /tmp/foreign
    /tmp/foreign/bin/pip install torch transformers onnx onnxscript onnx_ir onnxruntime onnxruntime-genai==0.18.0 tqdm
    /tmp/foreign/bin/pip install onnxruntime==1.29.0  # zoo's: versions round int4 differently; the builder does not mind
    python3 -m venv /tmp/optimum && /tmp/optimum/bin/pip install torch optimum-onnx onnxruntime
    make build && /tmp/foreign/bin/python scripts/foreign.py --zoo bin/zoo --optimum /tmp/optimum/bin/python

The rows that it prints are in docs/foreign.md. They are not part of any test.

With --testdata it has Optimum export the checkpoints of modelfile/hf/testdata/pretrained instead, for the test
Optimum, which compares the pure-Go engine with the logits that lie beside these. Where Optimum's file computes
something else than transformers, what onnxruntime computes with it is written too:

    /tmp/optimum/bin/python scripts/foreign.py --testdata export/foreign/testdata/optimum
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import needs

EXPORTERS = "torchscript", "torchscript-float16", "dynamo", "optimum", "genai", "genai-int4"
FAMILIES = "gpt2", "llama", "qwen2"
PROMPTS = ["The quick brown fox", "hello", "It's a lovely day, isn't it? In 1984 there were 3,141 of them;", "naïve café 你好 😀",
           "world world world"]
NEW_TOKENS = 16
POSITIONS = 128
PRETRAINED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "modelfile/hf/testdata/pretrained")
CHECKPOINTS = ("gpt2", "llama", "llama-llama3", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "mistral", "phi", "phi3",
               "gpt_neox", "gptj", "stablelm", "opt", "bloom", "mpt", "falcon", "falcon-alibi", "olmo2", "granite", "smollm3")
OFF = "gemma2", "falcon-alibi"  # without the cap of scores; with slopes in other bits


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--exporters", default=",".join(EXPORTERS), help=f"of {', '.join(EXPORTERS)}")
    p.add_argument("--families", default=",".join(FAMILIES), help=f"of {', '.join(FAMILIES)}")
    p.add_argument("--work", help="folder to make the models in, and to find them in again (default: a temporary one)")
    p.add_argument("--optimum", default=sys.executable, help="the Python that has Optimum (default: this one)")
    p.add_argument("--testdata", metavar="DIR", help="write Optimum's files of the checkpoints in testdata there, and end")
    a = p.parse_args()
    if a.testdata:
        needs.packages(__doc__, "onnxruntime")
        needs.packages(__doc__, "optimum", python=a.optimum)
        sys.exit(write_testdata(os.path.abspath(a.testdata), a.optimum))
    needs.packages(__doc__, "torch", "transformers", "onnx", "onnxscript", "onnx_ir", "onnxruntime", "tqdm",
                   *(["onnxruntime_genai"] if "genai" in a.exporters else []))
    if "optimum" in a.exporters.split(","):
        needs.packages(__doc__, "optimum", python=a.optimum)
    needs.program(__doc__, a.zoo)
    a.zoo = os.path.abspath(a.zoo)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = os.path.abspath(a.work or temporary)
        for family in a.families.split(","):
            source = os.path.join(work, "source", family)
            if not os.path.exists(os.path.join(source, "expected.json")):
                make(family, source)
            for exporter in a.exporters.split(","):
                out = os.path.join(work, "models", f"{family}-{exporter}")
                if exporter.startswith("genai") and family == "gpt2":
                    continue  # its builder has no GPT-2
                if not os.path.exists(os.path.join(out, "expected.json")):
                    export(exporter, source, out, a.optimum)
        failed += compare(os.path.join(work, "models"))
        failed += run_verbs(a.zoo, os.path.join(work, "models"))
    sys.exit(failed > 0)


def make(family, source):
    """Make a model, its tokenizer, and what transformers computes with them."""
    import torch
    import transformers
    from tokenizers_cases import kinds

    torch.manual_seed(len(family))
    torch.set_num_threads(1)
    tokenizer = dict(kinds())[{"gpt2": "gpt2", "llama": "llama2", "qwen2": "qwen2"}[family]]
    end = {"gpt2": "<|endoftext|>", "llama": "</s>", "qwen2": "<|endoftext|>"}[family]
    common = dict(vocab_size=tokenizer.get_vocab_size(), initializer_range=0.3, bos_token_id=1,
                  eos_token_id=tokenizer.token_to_id(end))
    blocks = dict(hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
                  max_position_embeddings=POSITIONS)  # GroupQueryAttention wants heads of a multiple of 16
    if family == "gpt2":
        config = transformers.GPT2Config(n_positions=POSITIONS, n_embd=48, n_layer=3, n_head=6, **common)
        model = transformers.GPT2LMHeadModel
    elif family == "llama":
        config, model = transformers.LlamaConfig(**blocks, **common), transformers.LlamaForCausalLM
    else:
        config, model = transformers.Qwen2Config(**blocks, **common), transformers.Qwen2ForCausalLM
    config._attn_implementation = "eager"
    model = model(config).eval()
    model.save_pretrained(source)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=end).save_pretrained(source)
    tokenizer.save(os.path.join(source, "tokenizer.json"))  # as it is
    rows = []
    for text in PROMPTS:
        ids = torch.tensor([tokenizer.encode(text).ids])
        with torch.no_grad():
            logits = model(ids).logits[0]
            whole = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=NEW_TOKENS, do_sample=False,
                                   eos_token_id=-1, pad_token_id=0)[0].tolist()
        rows.append({"text": text, "ids": ids[0].tolist(), "logits": logits.tolist(), "greedy": whole[len(ids[0]):]})
    write_expected(source, rows, 1e-4)


def write_expected(folder, rows, tolerance):
    with open(os.path.join(folder, "expected.json"), "w") as f:
        json.dump({"rows": rows, "tolerance": tolerance}, f)


def export(exporter, source, out, optimum):
    """Export a model with what stands beside it."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    with open(os.path.join(source, "expected.json")) as f:
        rows = json.load(f)["rows"]
    tolerance = 1e-4
    if exporter == "optimum":
        run([optimum, "-m", "optimum.exporters.onnx", "--model", source, "--task", "text-generation-with-past", out])
    elif exporter.startswith("genai"):
        precision = "int4" if exporter.endswith("int4") else "fp32"
        run([sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", source, "-o", out, "-p", precision, "-e", "cpu",
             "-c", os.path.join(out, "cache")])
        shutil.rmtree(os.path.join(out, "cache"), ignore_errors=True)
        if precision == "int4":
            rows = [by_onnxruntime(os.path.join(out, "model.onnx"), r) for r in rows]
    else:
        by_torch(source, os.path.join(out, "model.onnx"), exporter)
        for name in "config.json", "generation_config.json", "tokenizer_config.json":
            shutil.copy(os.path.join(source, name), out)
        tolerance = 0.2 if exporter.endswith("float16") else tolerance
    shutil.copy(os.path.join(source, "tokenizer.json"), out)
    write_expected(out, rows, tolerance)


def write_testdata(out, optimum):
    """Write Optimum's files of checkpoints in testdata, packed."""
    os.makedirs(out, exist_ok=True)
    for name in CHECKPOINTS:
        with tempfile.TemporaryDirectory() as work:
            source, model = os.path.join(work, "source"), os.path.join(work, "model", "model.onnx")
            os.makedirs(source)
            # The keys of before transformers 5, as Optimum's does not read the others.
            shutil.copy(os.path.join(PRETRAINED, name, "config.hub.json"), os.path.join(source, "config.json"))
            shutil.copy(os.path.join(PRETRAINED, name, "model.safetensors"), source)
            run([optimum, "-m", "optimum.exporters.onnx", "--model", source, "--task", "text-generation-with-past",
                 os.path.dirname(model)])
            with open(model, "rb") as f, open(os.path.join(out, name + ".onnx.gz"), "wb") as packed:
                with gzip.GzipFile("", "wb", 9, packed, 0) as z:
                    z.write(f.read())
            if name in OFF:
                with open(os.path.join(PRETRAINED, name, "expected.json")) as f:
                    cases = json.load(f)["cases"]
                ids = [[t for t, seen in zip(*row) if seen] for c in cases for row in zip(c["input_ids"], c["attention_mask"])]
                rows = [by_onnxruntime(model, {"ids": row}) for row in ids]
                for r in rows:
                    r["logits"] = [[float(f"{v:.7g}") for v in logits] for logits in r["logits"]]
                with open(os.path.join(out, name + ".json"), "w") as f:
                    json.dump({"rows": rows}, f, separators=(",", ":"))
        print(name, os.path.getsize(os.path.join(out, name + ".onnx.gz")), flush=True)
    return 0


def by_torch(source, path, exporter):
    import torch
    import transformers

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    dtype = torch.float16 if exporter.endswith("float16") else torch.float32
    model = transformers.AutoModelForCausalLM.from_pretrained(source, attn_implementation="eager").to(dtype).eval()
    c = model.config
    heads = getattr(c, "num_key_value_heads", c.num_attention_heads)
    width, layers = c.hidden_size // c.num_attention_heads, c.num_hidden_layers

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, position_ids, *past):
            cache = transformers.DynamicCache()
            for i in range(layers):
                cache.update(past[2 * i], past[2 * i + 1], i)
            # The mask is made here, as what transformers has for it cannot be traced in all versions.
            slots = torch.arange(attention_mask.shape[1])
            seen = (slots[None] <= slots[past[0].shape[2]:][:, None]) & (attention_mask[:, None, None] > 0)
            mask = torch.where(seen, 0.0, torch.finfo(dtype).min).to(dtype)
            out = self.model(input_ids=input_ids, attention_mask=mask, position_ids=position_ids,
                             past_key_values=cache, use_cache=True)
            present = out.past_key_values
            return (out.logits, *(t for i in range(layers) for t in (present.layers[i].keys, present.layers[i].values)))

    rows, new, old = 2, 3, 5
    args = (torch.ones(rows, new, dtype=torch.int64), torch.ones(rows, old + new, dtype=torch.int64),
            torch.arange(old, old + new)[None].repeat(rows, 1),
            *(torch.randn(rows, heads, old, width, dtype=dtype) for _ in range(2 * layers)))
    kinds = [f"{i}.{kind}" for i in range(layers) for kind in ("key", "value")]
    past, present = ["past_key_values." + k for k in kinds], ["present." + k for k in kinds]
    names = dict(input_names=["input_ids", "attention_mask", "position_ids"] + past, output_names=["logits"] + present)
    if exporter == "dynamo":
        auto = torch.export.Dim.DYNAMIC
        shapes = ({0: auto, 1: auto},) * 3 + (({0: auto, 2: auto},) * len(past),)
        torch.onnx.export(Step(), args, path, dynamo=True, dynamic_shapes=shapes, **names)
        return
    axes = {n: {0: "batch", 1: "sequence"} for n in ("input_ids", "position_ids", "logits")}
    axes |= {"attention_mask": {0: "batch", 1: "total"}}
    axes |= {n: {0: "batch", 2: "past"} for n in past} | {n: {0: "batch", 2: "total"} for n in present}
    torch.onnx.export(Step(), args, path, dynamo=False, dynamic_axes=axes, opset_version=17, **names)


def by_onnxruntime(path, row):
    """The same of a model whose weights are rounded: what onnxruntime computes without a past."""
    import numpy
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def logits(ids):
        sizes = {"batch_size": 1, "past_sequence_length": 0, "kv_cache_dim": 16}
        feed = {"input_ids": numpy.array([ids]), "attention_mask": numpy.ones([1, len(ids)], numpy.int64),
                "position_ids": numpy.arange(len(ids))[None]}
        for i in session.get_inputs():
            if i.name not in feed:
                feed[i.name] = numpy.zeros([sizes.get(d, d) for d in i.shape], numpy.float32)
        feed = {i.name: feed[i.name] for i in session.get_inputs()}
        return session.run(["logits"], feed)[0][0]

    ids = list(row["ids"])
    given = logits(ids)
    for _ in range(NEW_TOKENS):
        ids.append(int(logits(ids)[-1].argmax()))
    return {**row, "logits": given.tolist(), "greedy": ids[len(row["ids"]):]}


def run(command):
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # all that is needed is here
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **offline})
    if done.returncode:
        sys.exit(f"foreign: {' '.join(command)} failed\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def compare(models):
    """Have the Go test open every model, and print what it found."""
    print(f"{'model':<28} {'logits, worst':>13}  greedy tokens")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    done = subprocess.run(["go", "test", "./export/foreign", "-run", "^TestOthers$", "-v", "-count", "1"], cwd=here,
                          env={**os.environ, "ZOO_FOREIGN_MODELS": models}, capture_output=True, text=True)
    for line in re.findall(r"others: (.*)", done.stdout):
        print(line)
    if done.returncode:
        print(done.stdout, done.stderr)
    return done.returncode != 0


def run_verbs(zoo, models):
    failed = 0
    for name in sorted(os.listdir(models)):
        folder = os.path.join(models, name)
        allow = ["--allow", "com.microsoft"] if "genai" in name else []
        for verb in (["inspect", folder], ["generate", folder, "--prompt", PROMPTS[0], "--max-new", "4", *allow],
                     ["bench", folder, "--measure", "speed", "--lengths", "16", "--batch", "2", "--new-tokens", "4", *allow]):
            done = subprocess.run([zoo, *verb], capture_output=True, text=True)
            if done.returncode:
                print(f"zoo {' '.join(verb)}: {done.stderr.strip()}")
                failed += 1
    print(f"zoo inspect, generate and bench: {failed} failed")
    return failed


if __name__ == "__main__":
    main()

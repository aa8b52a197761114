#!/usr/bin/env python3
"""Check files in bfloat16 without a card: with ONNX's own checker and reference evaluator.

ONNX Runtime multiplies bfloat16 on CUDA alone. This trains a small model of each encoding
for a step, exports it in float32 and in bfloat16, and of both files

- runs onnx.checker with full_check, which wants every operator of the file's operator set
  to take the types that it is given;
- computes the logits of random tokens with onnx.reference.ReferenceEvaluator.

An encoding fails if the checker refuses its file, if bfloat16's logits are those of float32,
or if they differ by more than --bound of their size (root mean squares). Needs packages that
zoo itself does not:

    python3 -m venv /tmp/onnx
    /tmp/onnx/bin/pip install onnx==1.23.2 ml_dtypes==0.6.0
    make build && /tmp/onnx/bin/python scripts/bfloat16.py --zoo bin/zoo

Results are not part of any test.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import warnings

import needs

needs.packages(__doc__, "ml_dtypes", "numpy", "onnx")

import ml_dtypes  # noqa: F401: bfloat16 of numpy, which onnx computes with
import numpy
import onnx
from onnx.reference import ReferenceEvaluator

SIZES = "d_model=32", "n_layers=2", "n_heads=4", "d_ff=64", "init=t5", "attention_scale=none"  # large random weights


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--encodings", default="all", help="encodings of the models (default all)")
    p.add_argument("--profile", default="portable", help="portable (default) or fused")
    p.add_argument("--length", type=int, default=8, help="tokens of a row, 2 or more (default 8)")
    p.add_argument("--bound", type=float, default=0.03, help="largest difference, of the logits' size (default 0.03)")
    p.add_argument("--json", action="store_true", help="write JSON lines")
    a = p.parse_args()
    needs.program(__doc__, a.zoo)
    a.zoo = os.path.abspath(a.zoo)
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # numpy's, of -inf in masks
    with tempfile.TemporaryDirectory() as work:
        train = [a.zoo, "train", "--pe", a.encodings, "--task", "copy", "--lengths", "1..3", "--steps", "1", "--batch", "4"]
        for size in SIZES:
            train += ["--set", "model." + size]
        run(train + ["--runs", work])
        if not a.json:
            print(f"{'encoding':<16} {'difference':>10} {'worst logit':>11} {'its size':>9} {'bfloat16 operators'}")
        failed = [folder for folder in sorted(glob.glob(work + "/*/")) if not compare(a, folder)]
    return 1 if failed else 0


def compare(a, folder):
    """Compare the two files of a run; print what was found, and say whether it is right."""
    name = os.path.basename(folder[:-1]).removeprefix("copy-").removesuffix("-tiny-s1")
    logits = {}
    for dtype in "float32", "bfloat16":
        path = folder + dtype + ".onnx"
        run([a.zoo, "export", folder, "--profile", a.profile, "--dtype", dtype, "--no-verify", "-o", path])
        onnx.checker.check_model(path, full_check=True)
        model = onnx.load(path)
        logits[dtype] = evaluate(model, a.length)
    want, off = logits["float32"], numpy.abs(logits["bfloat16"] - logits["float32"])
    difference = float(numpy.sqrt((off**2).mean() / (want**2).mean()))
    row = {"encoding": name, "profile": a.profile, "difference": difference, "worst_logit": float(off.max()),
           "its_size": float(numpy.abs(want.ravel()[off.argmax()])), "operators": operators(model),
           "ok": 0 < difference <= a.bound}
    if a.json:
        print(json.dumps(row), flush=True)
    else:
        print(f"{name:<16} {row['difference']:>10.4f} {row['worst_logit']:>11.4f} {row['its_size']:>9.3f} {row['operators']}"
              f"{'' if row['ok'] else '  WRONG'}", flush=True)
    return row["ok"]


def evaluate(model, length):
    """Return the logits of two rows of random tokens, read in two pieces, or one by one where the
    model is recurrent. The second row is padded on the left; of padding there are no logits."""
    vocabulary = json.loads(next(p.value for p in model.metadata_props if p.key == "zoo.tokenizer"))
    ids = numpy.random.default_rng(1).integers(0, len(vocabulary), (2, length))
    mask = numpy.ones((2, length), numpy.int64)
    mask[1, :length // 3] = 0
    positions = numpy.maximum(mask.cumsum(1) - 1, 0)
    axes = {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input}
    lengths = {"batch": 2, "capacity": length}
    states = {name: numpy.zeros([lengths.get(d, d) for d in shape], numpy.float32)
              for name, shape in axes.items() if name.startswith("past")}
    piece = 1 if axes["input_ids"][1] == 1 else length // 2
    evaluator, logits = ReferenceEvaluator(model), []
    for at in range(0, length, piece):
        new = slice(at, min(at + piece, length))
        slots = numpy.arange(length)[new]
        feed = {"input_ids": ids[:, new], "position_ids": positions[:, new], "cache_position": slots,
                "attention_mask": mask if axes["attention_mask"][1] == "capacity" else mask[:, new],
                "logits_to_keep": numpy.array([len(slots)]), **states}
        some, *present = evaluator.run(None, {name: feed[name] for name in axes})
        logits.append(some)
        states = dict(zip(states, present))
    return numpy.concatenate(logits, 1)[mask == 1].astype(numpy.float64)


def operators(model):
    """Count the operators that take or give bfloat16, as onnx infers the types."""
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, check_type=True).graph
    brain = {i.name for i in inferred.initializer if i.data_type == onnx.TensorProto.BFLOAT16}
    brain |= {v.name for v in inferred.value_info if v.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16}
    found = [n.op_type for n in inferred.node if brain & {*n.input, *n.output}]
    return ", ".join(f"{op} {found.count(op)}" for op in sorted(set(found)))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Write the ONNX project's node tests of the operators that package export composes, for the tests of the pure-Go engine.

Takes them from the package onnx, whose test cases compute what operators give; of these the ones whose inputs and
outputs are float32, int64 and bool. Their opsets are lowered to the newest that zoo reads, where operators of a later
one have the same meaning.

    python3 -m venv /tmp/onnx && /tmp/onnx/bin/pip install onnx
    /tmp/onnx/bin/python scripts/node_cases.py runtime/native/testdata/onnx-node-tests.tar.gz
"""

import argparse
import gzip
import io
import tarfile
import warnings

import needs

OPERATORS = ("Constant", "ConstantOfShape", "Identity", "Cast", "Less", "LessOrEqual", "Equal", "IsNaN", "Where", "Flatten",
             "Slice", "Split", "Tile", "Trilu", "CumSum", "Gemm", "LayerNormalization", "ReduceMean", "Erf", "Gather", "Expand")
NEWEST = 23  # what package export reads
KEPT = 1, 7, 9  # float32, int64 and bool, as ONNX numbers them
MOST = 16 << 10  # bytes of one case


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", help="the archive to write")
    out = p.parse_args().out
    needs.packages(__doc__, "onnx")
    from onnx import numpy_helper
    from onnx.backend.test.case.node import collect_testcases

    warnings.filterwarnings("ignore")
    cases = 0
    with open(out, "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z, tarfile.open(fileobj=z, mode="w") as archive:
        for case in sorted(collect_testcases(None), key=lambda c: c.name):
            graph = case.model.graph
            kinds = {v.type.tensor_type.elem_type for v in [*graph.input, *graph.output]}
            if case.name.endswith("_expanded") or len(graph.node) != 1 or graph.node[0].op_type not in OPERATORS or not kinds <= set(KEPT):
                continue
            for o in case.model.opset_import:
                o.version = min(o.version, NEWEST)
            inputs, outputs = case.data_sets[0]
            files = {"model.onnx": case.model.SerializeToString()}
            for kind, values in ("input", inputs), ("output", outputs):
                for i, v in enumerate(values):
                    files[f"{kind}_{i}.pb"] = numpy_helper.from_array(v).SerializeToString()
            if sum(map(len, files.values())) > MOST:
                continue
            cases += 1
            for name, data in files.items():
                entry = tarfile.TarInfo(f"{case.name}/{name}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    print(f"{cases} cases")


if __name__ == "__main__":
    main()

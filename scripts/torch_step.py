#!/usr/bin/env python3
"""Measure steps of training in PyTorch that do the work of zoo's.

Of each RUN, the folder of a run of zoo's, it takes the model's sizes, the batch, the
optimizer and the mean length of a sequence, and trains a decoder of these on random
tokens: eager and compiled, in float32, with TF32 in its products, and with bfloat16
(autocast). All sequences have the mean length, so that there is no padding. Each
measurement is a line of JSON. What failed, and what was not reached before SIGTERM
came, is a line with the reason.

Needs PyTorch 2.4 or later; torch.compile also a C compiler.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch
    make build && bin/zoo train --preset small --steps 10
    /tmp/torch/bin/python scripts/torch_step.py runs/copy-nope-small-s1
"""

import argparse
import glob
import json
import math
import os
import signal
import sys
import time

import needs

needs.packages(__doc__, "torch")

import torch
import torch.nn.functional as F
from torch import nn

PRECISIONS = "float32", "tf32", "bfloat16"
WARMUP_STEPS = 5


class Stopped(BaseException):
    """SIGTERM came. No Exception: what compiles would wrap one, and go on."""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run, with the metrics of a step or more")
    p.add_argument("--device", default="cuda", help="cuda (default) or cpu")
    p.add_argument("--seconds", type=float, default=2, help="how long each is measured, after the first steps (default 2)")
    a = p.parse_args()
    work = [Work(run) for run in a.runs]
    signal.signal(signal.SIGTERM, stop)
    cells = [(w, mode, precision) for mode in ("eager", "compiled") for precision in PRECISIONS for w in work]
    while cells:
        row = describe(*cells[0])
        try:
            row.update(measure(*cells[0], a.device, a.seconds))
        except Stopped:
            break
        except Exception as e:  # out of memory, no compiler: the other variants may work
            row["failed"] = (str(e).strip() or type(e).__name__).splitlines()[0]
        print(json.dumps(row), flush=True)
        cells.pop(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for w, mode, precision in cells:
        print(json.dumps({**describe(w, mode, precision), "failed": "no time left"}), flush=True)


def stop(*_):
    raise Stopped


def describe(w, mode, precision):
    """Return what a row says before anything is measured."""
    return {"torch": torch.__version__, "run": w.name, "batch": w.batch, "dropout": w.dropout,
            "sequence_tokens": w.tokens, "mode": mode, "precision": precision}


class Work:
    """What a step of a run has to do."""

    def __init__(self, run):
        self.name = os.path.basename(os.path.normpath(run))
        with open(os.path.join(run, "config.json")) as f:
            config = json.load(f)
        self.model, self.train = config["model"], config["train"]
        m = self.model
        known = {"settings": ("modern", "faithful"), "encoding": ("nope", "rope"), "activation": ("relu", "relu2"),
                 "attention_scale": ("sqrt", "none"), "head_scale": ("sqrt", "none")}
        for key, values in known.items():
            if m[key] not in values:
                sys.exit(f"torch_step: {run}: {key} is {m[key]}, and only {' and '.join(values)} are here; name another run")
        sizes = {"d_model", "n_layers", "n_heads", "d_head", "d_ff", "vocab_size", "init", "norm_eps", "window"}
        others = sorted(key for key in m.keys() - known.keys() - sizes if m[key])
        if others:
            sys.exit(f"torch_step: {run}: the settings {', '.join(others)} are not here; name a run without them")
        self.batch, self.dropout = self.train["batch"], self.train.get("dropout", 0)
        steps = []
        for path in glob.glob(os.path.join(run, "metrics.jsonl")):
            with open(path) as f:
                steps = [row["tokens"] for row in map(json.loads, f) if "tokens" in row]
        if not steps:
            sys.exit(f"torch_step: {run}: there are no metrics of a step; train one at least")
        self.tokens = max(1, round(sum(steps) / len(steps) / self.batch))


class Decoder(nn.Module):
    """The decoder of package models: pre-norm, tied embedding, dropout at its places."""

    def __init__(self, w):
        super().__init__()
        m = self.m = w.model
        self.p = w.dropout
        self.embed = nn.Embedding(m["vocab_size"], m["d_model"])
        self.layers = nn.ModuleList(Layer(m, w.dropout) for _ in range(m["n_layers"]))
        self.norm = Norm(m)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)  # the values do not matter to speed
        if m["encoding"] == "rope":
            half = m["d_head"] // 2
            frequency = 10000.0 ** (-torch.arange(half) / half)
            angle = torch.outer(torch.arange(w.tokens), frequency)
            self.register_buffer("turn", torch.stack([angle.cos(), angle.sin()]))
        else:
            self.turn = None

    def forward(self, ids):
        x = F.dropout(self.embed(ids), self.p)
        for layer in self.layers:
            x = layer(x, self.turn)
        x = F.dropout(self.norm(x), self.p)
        if self.m["head_scale"] == "sqrt":
            x = x / math.sqrt(self.m["d_model"])
        return F.linear(x, self.embed.weight)


class Layer(nn.Module):
    def __init__(self, m, dropout):
        super().__init__()
        self.m, self.p = m, dropout
        inner = m["n_heads"] * m["d_head"]
        self.attn_norm, self.mlp_norm = Norm(m), Norm(m)
        self.qkv = nn.Linear(m["d_model"], 3 * inner, bias=False)
        self.o = nn.Linear(inner, m["d_model"], bias=False)
        self.up = nn.Linear(m["d_model"], m["d_ff"], bias=False)
        self.down = nn.Linear(m["d_ff"], m["d_model"], bias=False)

    def forward(self, x, turn):
        m = self.m
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.attn_norm(x)).view(batch, tokens, 3, m["n_heads"], m["d_head"]).permute(2, 0, 3, 1, 4)
        if turn is not None:
            q, k = rotate(q, turn), rotate(k, turn)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.p,
                                           scale=1.0 if m["attention_scale"] == "none" else None)
        x = x + F.dropout(self.o(y.transpose(1, 2).reshape(batch, tokens, -1)), self.p)
        y = F.relu(self.up(self.mlp_norm(x)))
        if m["activation"] == "relu2":
            y = y * y
        return x + F.dropout(self.down(F.dropout(y, self.p)), self.p)


class Norm(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.gain, self.eps = nn.Parameter(torch.ones(m["d_model"])), m["norm_eps"]

    def forward(self, x):
        return F.rms_norm(x, self.gain.shape, self.gain, self.eps)


def rotate(x, turn):
    """RoPE in the layout of two halves, on x [B,H,T,K]."""
    cos, sin = turn.to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def measure(w, mode, precision, device, seconds):
    """Train for so long, and return the row's numbers."""
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.manual_seed(1)
    model = Decoder(w).to(device)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    gains = [p for p in model.parameters() if p.dim() == 1]
    r = w.train
    gain_decay = r["weight_decay"] if w.model["settings"] == "faithful" else 0
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": r["weight_decay"]}, {"params": gains, "weight_decay": gain_decay}],
        lr=r["lr"], betas=(r["beta1"], r["beta2"]), eps=r["eps"], fused=device == "cuda")
    ids = torch.randint(w.model["vocab_size"], (w.batch, w.tokens + 1), device=device)
    inputs, labels = ids[:, :-1].contiguous(), ids[:, 1:].reshape(-1)

    def loss_of():
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bfloat16"):
            logits = model(inputs)
        return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), labels)

    if mode == "compiled":
        torch.compiler.reset()  # else the limit of recompilations counts those of other models
        loss_of = torch.compile(loss_of)

    def step():
        loss = loss_of()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if r["clip"]:
            nn.utils.clip_grad_norm_(model.parameters(), r["clip"])
        optimizer.step()
        return loss

    begun = time.perf_counter()
    for _ in range(WARMUP_STEPS):
        loss = step()
    first = loss.item()  # waits for the device
    start = time.perf_counter()
    steps, spent = 0, 0.0
    while spent < seconds:
        for _ in range(WARMUP_STEPS):
            loss = step()
        steps += WARMUP_STEPS
        last = loss.item()
        spent = time.perf_counter() - start
    if not math.isfinite(first + last):
        raise ArithmeticError(f"the loss is {last}")
    return {"parameters": sum(p.numel() for p in model.parameters()), "warmup_s": start - begun, "steps": steps,
            "step_ms": 1e3 * spent / steps, "tokens_per_second": w.batch * w.tokens * steps / spent, "loss": last,
            "device": torch.cuda.get_device_name() if device == "cuda" else device}


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Check zoo serve with OpenAI's own client library, and its metrics with Prometheus' parser.

Starts zoo serve with two models of the catalogue and a key, asks through the library for what the
service offers and for what it must refuse, and ends it by SIGTERM while a stream is running. Needs
packages that zoo itself does not:

    python3 -m venv /tmp/client
    /tmp/client/bin/pip install openai==3.54.0 prometheus_client==0.26.0
    make build && /tmp/client/bin/python scripts/openai_client.py --zoo bin/zoo

Ends with "all right", or with the first thing that is not. Not part of any test.
"""

import argparse
import asyncio
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

import needs

needs.packages(__doc__, "openai", "prometheus_client")

import openai
from prometheus_client.parser import text_string_to_metric_families

KEY = "sesame"
PROMPT = "Copy: 7 tree B [SEP] "
UNSURE = "Copy: 7"  # which asks for nothing yet
LONG = "Copy: " + "7 tree B " * 30 + "[SEP] "


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--chat", help="folder or GGUF file of a chat model that knows the capital of France, to converse with too")
    p.add_argument("--provider", default="cpu", help="what runs the models (default cpu)")
    a = p.parse_args()
    served = ["copy-rope", "copy-nope"] + (["chat=" + a.chat] if a.chat else [])
    needs.program(__doc__, a.zoo)
    with tempfile.NamedTemporaryFile("w") as key:
        key.write(KEY + "\n")
        key.flush()
        service = subprocess.Popen([a.zoo, "serve", *served, "--provider", a.provider, "--addr", "127.0.0.1:0",
                                    "--api-key-file", key.name, "--max-choices", "8"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = service.stdout.readline()
            base = re.fullmatch(r"serving copy-rope, copy-nope(?:, chat)? at (http://.*)/v1\n", line).group(1)
            client = openai.OpenAI(base_url=base + "/v1", api_key=KEY, max_retries=0)
            for check in [models, completions, prompts, choices, streams, log_probs, scores, stops, refusals] + [chats] * bool(a.chat):
                check(client)
                print(f"{check.__name__}: right")
            asyncio.run(many(base))
            print("many: right")
            metrics(base)
            print("metrics: right")
            ending(client, service)
            print("ending: right")
        finally:
            service.kill()
    print("all right")


def want(got, expected):
    if got != expected:
        raise SystemExit(f"got {got!r}, want {expected!r}")


def models(client):
    want([m.id for m in client.models.list()][:2], ["copy-rope", "copy-nope"])
    want(client.models.retrieve("copy-nope").object, "model")


def completions(client):
    for model in ["copy-rope", "copy-nope"]:
        c = client.completions.create(model=model, prompt=PROMPT, temperature=0)
        want((c.choices[0].text, c.choices[0].finish_reason, c.model, c.object), ("7 tree B", "stop", model, "text_completion"))
        want((c.usage.prompt_tokens, c.usage.completion_tokens, c.usage.total_tokens), (6, 4, 10))
    c = client.completions.create(model="copy-rope", prompt=PROMPT, temperature=0, max_tokens=2, echo=True)
    want((c.choices[0].text, c.choices[0].finish_reason), (PROMPT + "7 tree", "length"))
    if not c._request_id.startswith("cmpl-"):
        raise SystemExit(f"the request has the id {c._request_id}")


def prompts(client):
    c = client.completions.create(model="copy-rope", prompt=[PROMPT, "Copy: B 7 [SEP]"], temperature=0)
    want([x.text for x in c.choices], ["7 tree B", " B 7"])
    want([x.index for x in c.choices], [0, 1])
    for ids in [[3, 4, 5], [[3, 4, 5], [6]]]:
        c = client.completions.create(model="copy-rope", prompt=ids, temperature=0, max_tokens=1)
        want(len(c.choices), 2 if isinstance(ids[0], list) else 1)


def choices(client):
    def texts(prompt=UNSURE, **more):
        c = client.completions.create(model="copy-rope", prompt=prompt, temperature=2, max_tokens=6, **more)
        return [x.text for x in c.choices]
    first = texts(n=4, seed=7)
    want(texts(n=4, seed=7), first)
    want(texts(seed=7), first[:1])
    if len(set(first)) < 2 or texts(n=4, seed=8) == first:
        raise SystemExit(f"choices and seeds make no difference: {first}")
    want(texts(PROMPT, seed=7, extra_body={"top_k": 1}), ["7 tree B"])
    want(texts(PROMPT, seed=7, extra_body={"min_p": 1}), ["7 tree B"])
    want(texts(n=4, seed=7, best_of=4), first)
    tree = client.completions.create(model="copy-rope", prompt=[[5]], max_tokens=3, temperature=0, logit_bias={"5": 900}, echo=True)
    want(len(set(tree.choices[0].text.split())), 1)


def streams(client):
    parts = list(client.completions.create(model="copy-rope", prompt=[PROMPT, "Copy: B 7 [SEP]"], temperature=0, stream=True,
                                           stream_options={"include_usage": True, "include_obfuscation": False}))
    texts, ends = ["", ""], {}
    for part in parts[:-1]:
        want(part.usage, None)
        for c in part.choices:
            texts[c.index] += c.text
            if c.finish_reason:
                ends[c.index] = c.finish_reason
    want((texts, ends), (["7 tree B", " B 7"], {0: "stop", 1: "stop"}))
    want((parts[-1].choices, parts[-1].usage.completion_tokens), ([], 7))
    if len(parts) < 5:
        raise SystemExit(f"a stream has {len(parts)} parts")
    with client.completions.create(model="copy-rope", prompt=LONG, max_tokens=3000, temperature=0, stream=True, stop="zebra") as stream:
        for _, part in zip(range(3), stream):
            want(len(part.choices), 1)  # and then it is left


def log_probs(client):
    c = client.completions.create(model="copy-rope", prompt=PROMPT, temperature=0, logprobs=3).choices[0]
    want(c.logprobs.tokens[:3], [" 7", " tree", " B"])
    want(c.logprobs.text_offset, [0, 1, 6, 8])
    want([len(t) for t in c.logprobs.top_logprobs], [3] * 4)
    for token, p, top in zip(c.logprobs.tokens, c.logprobs.token_logprobs, c.logprobs.top_logprobs):
        want((top[token], max(top.values())), (p, p))
        if not -1 < p <= 0:
            raise SystemExit(f"{token} has the log-probability {p}")
    wild = client.completions.create(model="copy-rope", prompt=PROMPT, logit_bias={"5": 900}, max_tokens=9, logprobs=1).choices[0]
    for token, p, top in zip(wild.logprobs.tokens, wild.logprobs.token_logprobs, wild.logprobs.top_logprobs):
        want((top[token], len(top) <= 2), (p, True))
    if not any(len(top) == 2 for top in wild.logprobs.top_logprobs):
        raise SystemExit(f"every token of {wild.text} is the most probable one")
    streamed = [x for part in client.completions.create(model="copy-rope", prompt=PROMPT, temperature=0, logprobs=3, stream=True)
                for x in part.choices[0].logprobs.token_logprobs]
    for a, b in zip(streamed, c.logprobs.token_logprobs, strict=True):
        if abs(a - b) > 1e-3:
            raise SystemExit(f"a stream has {a}, not {b}")


def scores(client):
    """Tokens of a prompt are scored as if they were chosen."""
    c = client.completions.create(model="copy-rope", prompt=PROMPT + "7 tree", temperature=0, max_tokens=0, echo=True, logprobs=1).choices[0]
    made = client.completions.create(model="copy-rope", prompt=PROMPT, temperature=0, max_tokens=2, logprobs=1).choices[0]
    want((c.text, c.logprobs.token_logprobs[0]), (PROMPT + "7 tree", None))
    for a, b in zip(c.logprobs.token_logprobs[-2:], made.logprobs.token_logprobs, strict=True):
        if abs(a - b) > 1e-3:
            raise SystemExit(f"scored {a}, chosen {b}")


def chats(client):
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    c = client.chat.completions.create(model="chat", messages=messages, temperature=0, max_tokens=20, logprobs=True, top_logprobs=2).choices[0]
    want(("Paris" in c.message.content, c.message.role, len(c.logprobs.content[0].top_logprobs)), (True, "assistant", 2))
    parts = client.chat.completions.create(model="chat", messages=messages, temperature=0, max_tokens=20, stream=True)
    want("".join(p.choices[0].delta.content or "" for p in parts), c.message.content)
    try:
        client.chat.completions.create(model="copy-rope", messages=messages)
    except openai.BadRequestError as e:
        want((e.param, "/v1/completions" in str(e)), ("model", True))
    else:
        raise SystemExit("a model without a chat template takes a conversation")


def stops(client):
    for stop, text in [(" tree", "7"), ("ee B", "7 tr"), (["never", "B"], "7 tree ")]:
        c = client.completions.create(model="copy-rope", prompt=PROMPT, temperature=0, stop=stop).choices[0]
        want((c.text, c.finish_reason), (text, "stop"))


def refusals(client):
    def refused(kind, param, **request):
        request = {"model": "copy-rope", "prompt": PROMPT, **request}
        for stream in [False, True]:
            try:
                client.completions.create(**request, stream=stream)
            except kind as e:
                want(e.param, param)
            else:
                raise SystemExit(f"{request} was not refused")
    refused(openai.NotFoundError, "model", model="gpt-9")
    refused(openai.BadRequestError, "best_of", best_of=3)
    refused(openai.BadRequestError, "suffix", suffix="x")
    refused(openai.BadRequestError, "n", n=9)
    refused(openai.BadRequestError, "temperature", temperature=-1)
    refused(openai.BadRequestError, "max_tokens", max_tokens=10**9)
    refused(openai.BadRequestError, "prompt", prompt="Copy: Ж")
    refused(openai.BadRequestError, "nonsense", extra_body={"nonsense": 1})
    refused(openai.APIStatusError, None, prompt="7 " * 10**6)  # 413
    stranger = client.with_options(api_key="wrong")
    for ask in [lambda: stranger.models.list(), lambda: stranger.completions.create(model="copy-rope", prompt=PROMPT)]:
        try:
            ask()
        except openai.AuthenticationError as e:
            want(e.code, "invalid_api_key")
        else:
            raise SystemExit("a wrong key opens")


async def many(base):
    """Answers of many callers at a time are each their own."""
    client = openai.AsyncOpenAI(base_url=base + "/v1", api_key=KEY)
    words = ["7 B", "tree 7", "B tree 7", "tree tree"]

    async def one(i):
        text = words[i % len(words)]
        c = await client.completions.create(model=["copy-rope", "copy-nope"][i % 2], prompt=f"Copy: {text} [SEP] ", temperature=0)
        want(c.choices[0].text, text)
    await asyncio.gather(*(one(i) for i in range(100)))


def metrics(base):
    r = urllib.request.Request(base + "/metrics", headers={"Authorization": "Bearer " + KEY})
    with urllib.request.urlopen(r) as answer:
        families = {f.name: f for f in text_string_to_metric_families(answer.read().decode())}
    right = sum(s.value for s in families["zoo_requests"].samples if s.labels == {"path": "/v1/completions", "status": "200"})
    if right < 100:
        raise SystemExit(f"{right} requests were right")
    want(families["zoo_completion_seconds"].type, "histogram")


def ending(client, service):
    """SIGTERM lets a stream end, and then the service."""
    stream = client.completions.create(model="copy-rope", prompt=LONG, max_tokens=500, temperature=0, stream=True,
                                       logit_bias={"1": -1000})
    next(iter(stream))
    service.send_signal(signal.SIGTERM)
    parts = [part.choices[0].finish_reason for part in stream]
    want(parts[-1], "length")
    _, log = service.communicate(timeout=60)
    want(service.returncode, 0)
    for secret in [KEY, "tree"]:
        if secret in log:
            raise SystemExit(f"the log tells {secret}")


if __name__ == "__main__":
    sys.exit(main())

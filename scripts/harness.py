#!/usr/bin/env python3
"""Have lm-evaluation-harness score a model through zoo serve, and compare with transformers.

Both score the same tasks, answers of multiple choice and bits per byte of texts, from lines of JSON that this program
writes: the harness' local-completions by HTTP, and its hf. Every log-likelihood must be the same. By default the model is
a tiny Llama with random weights and a tokenizer of its own. Needs packages that zoo itself does not:

    python3 -m venv /tmp/harness && /tmp/harness/bin/pip install "lm_eval[api]==0.4.13" transformers torch accelerate
    make build && /tmp/harness/bin/python scripts/harness.py --zoo bin/zoo
    /tmp/harness/bin/python scripts/harness.py --zoo bin/zoo --model SmolLM2-135M.gguf --reference FOLDER

Ends with "all right", or with status 1. Not part of any test.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import needs

CHOICES = [("The capital of France is", ["Paris", "London", "a kind of bread"], 0),
           ("Two and two make", ["five", "four"], 1),
           ("It's a lovely day,", ["isn't it?", "1984 naïve 3,141"], 0),
           ("Water is made of hydrogen and", ["oxygen", "stones", "Tuesday"], 0)]
TEXTS = ["The quick brown fox jumps over the lazy dog.", "In 1984 there were 3,141 of them; hello world.",
         "She sells sea shells by the sea shore. " * 2]
LENGTH = 128  # most tokens of a request; the harness' hf counts one that its local-completions does not
TOLERANCE = 1e-4  # times the log-likelihood, where it is greater than 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zoo", default="bin/zoo", help="the zoo program (default bin/zoo)")
    p.add_argument("--model", help="what zoo serves (default: a tiny model, made here)")
    p.add_argument("--reference", help="the folder that transformers reads, with the tokenizer of both (default: that of --model)")
    p.add_argument("--provider", default="cpu", help="what runs the model (default cpu)")
    a = p.parse_args()
    needs.packages(__doc__, "lm_eval", "transformers", "torch", "accelerate")
    needs.program(__doc__, a.zoo)
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TRANSFORMERS_OFFLINE="1")  # all that is needed is here
    with tempfile.TemporaryDirectory() as work:
        os.environ["HF_DATASETS_CACHE"] = os.path.join(work, "cache")
        if a.model is None:
            import foreign

            a.model = os.path.join(work, "tiny")
            foreign.make("llama", a.model)
        reference = a.reference or a.model
        tasks = write_tasks(os.path.join(work, "tasks"))
        by_transformers = score(tasks, "hf", {"pretrained": reference, "dtype": "float32", "device": "cpu", "max_length": LENGTH - 1,
                                                "add_bos_token": False})
        by_zoo = through_service(a, tasks, reference)
    sys.exit(compare(by_zoo, by_transformers))


def write_tasks(folder):
    os.makedirs(folder)

    def write(name, rows, **settings):
        data = os.path.join(folder, name + ".jsonl")
        with open(data, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)
        task = {"task": name, "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": data}}, "test_split": "test", **settings}
        with open(os.path.join(folder, name + ".yaml"), "w") as f:
            json.dump(task, f)  # JSON is YAML

    write("zoo_choices", [{"question": q, "choices": c, "answer": right} for q, c, right in CHOICES], output_type="multiple_choice",
          doc_to_text="{{question}}", doc_to_choice="choices", doc_to_target="answer", metric_list=[{"metric": "acc"}])
    write("zoo_texts", [{"text": t} for t in TEXTS], output_type="loglikelihood_rolling", doc_to_text="", doc_to_target="{{text}}",
          metric_list=[{"metric": "bits_per_byte"}])
    return folder


def score(tasks, model, settings):
    import lm_eval
    from lm_eval.tasks import TaskManager

    return lm_eval.simple_evaluate(model=model, model_args=settings, tasks=["zoo_choices", "zoo_texts"],
                                   task_manager=TaskManager(include_path=tasks), bootstrap_iters=0)


def through_service(a, tasks, tokenizer):
    service = subprocess.Popen([a.zoo, "serve", "scored=" + a.model, "--provider", a.provider, "--addr", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = service.stdout.readline()
        found = re.fullmatch(r"serving scored at (http://\S+)\n", line)
        if not found:
            sys.exit(f"harness: zoo serve says {line!r}")
        return score(tasks, "local-completions", {"base_url": found.group(1) + "/completions", "model": "scored", "tokenizer": tokenizer,
                                                  "tokenizer_backend": "huggingface", "add_bos_token": False, "max_length": LENGTH, "num_concurrent": 2})
    finally:
        service.terminate()
        service.wait()


def compare(by_zoo, by_transformers):
    def numbers(results):
        """Log-likelihoods, and of choices whether they are the most likely tokens, by task, document and answer."""
        return {(task, s["doc_id"], i): answer for task, samples in results["samples"].items() for s in samples
                for i, answer in enumerate(s["filtered_resps"])}

    ours, theirs, wrong = numbers(by_zoo), numbers(by_transformers), 0
    if ours.keys() != theirs.keys() or not ours:
        sys.exit(f"harness: answers to {sorted(ours)}, and by transformers to {sorted(theirs)}")
    for key in sorted(ours):
        a, b = ([x] if isinstance(x, float) else list(x) for x in (ours[key], theirs[key]))
        same = abs(a[0] - b[0]) <= TOLERANCE * max(1, abs(b[0])) and a[1:] == b[1:]
        wrong += not same
        print(*key, *a, "transformers", *b, "" if same else "DIFFERS")
    for task, measures in by_zoo["results"].items():
        for name in ("acc,none", "bits_per_byte,none"):
            if name in measures:
                print(task, name, measures[name], "transformers", by_transformers["results"][task][name])
    print("all right" if not wrong else f"{wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    main()

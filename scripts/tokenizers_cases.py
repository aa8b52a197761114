#!/usr/bin/env python3
"""Write tokenizers of every kind, small ones, and what the library tokenizers makes of texts.

Each file of FOLDER, gzipped JSON, has a tokenizer.json and cases: a text, its ids, those with what
the tokenizer puts around one text, and the text of the ids again. The tests of tokenizer/hf read
such files: those in its testdata, and more of them with

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers
    /tmp/venv/bin/python scripts/tokenizers_cases.py /tmp/cases --texts 3000
    ZOO_TOKENIZER_CASES=/tmp/cases go test ./tokenizer/hf -run Cases
"""

import argparse
import gzip
import json
import os
import random
import unicodedata

import needs

needs.packages(__doc__, "tokenizers")

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

SPLITS = {
    "llama3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
             r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "cl100k": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
             r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
             r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "cl100k-possessive": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
                         r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "kimi": r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
                r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}

CORPUS = """The quick brown fox jumps over the lazy dog. It's a lovely day, isn't it? We'll see what they've done!
In 1984 there were 3,141 of them; in 2024 there are 59,265. def f(x):\n    return x ** 2 + 1\n\n\tif x > 0: pass
Größe über Straße, naïve café déjà vu, Ελληνικά και σοφός Σίσυφος, Привет мир и все остальные, 你好世界 中文字符,
日本語のテキスト、カタカナ、 한국어 문장, שלום עולם, مرحبا بالعالم, नमस्ते दुनिया, ไทย 😀😃 🎉👩‍👩‍👧 ½ ² Ⅷ ﬁne ™
hello hello world world the the of of and and to to in in is is was was that that <|endoftext|> </s>
""" * 3


def byte_bpe(pre, size=420, normalizer=None, template=None, ignore_merges=False, added=()):
    t = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(CORPUS.splitlines(), trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
        special_tokens=["<|endoftext|>", "<s>"]))
    if added:
        t.add_tokens(list(added))
    t.post_processor = template and processors.TemplateProcessing(single=template, special_tokens=[("<s>", 1)]) \
        or processors.ByteLevel(trim_offsets=False)
    return t


def split_bpe(name, **more):
    return byte_bpe(pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLITS[name]), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]), **more)


def spm_bpe(pre=None, normalizer=None, decoder=None, **more):
    """As Llama 2: pieces of whole texts, spaces as ▁, unknown characters as bytes."""
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.train_from_iterator(CORPUS.splitlines(), trainers.BpeTrainer(
        vocab_size=560, show_progress=False, limit_alphabet=90,
        special_tokens=["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]))
    data = json.loads(t.to_str())
    for a in data["added_tokens"][3:]:
        data["added_tokens"].remove(a)
    data["pre_tokenizer"] = None
    t = Tokenizer.from_str(json.dumps(data))
    if pre:
        t.pre_tokenizer = pre
    if normalizer:
        t.normalizer = normalizer
    t.decoder = decoder or decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                              decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return t


def unigram(byte_fallback, pre, normalizer=None, first=()):
    t = Tokenizer(models.Unigram())
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>"] + (["<0x%02X>" % b for b in range(256)] if byte_fallback else [])
    t.train_from_iterator(CORPUS.splitlines(), trainers.UnigramTrainer(
        vocab_size=360 + (256 if byte_fallback else 0), special_tokens=special, unk_token="<unk>", show_progress=False))
    data = json.loads(t.to_str())
    data["model"]["byte_fallback"] = byte_fallback
    data["added_tokens"] = data["added_tokens"][:3]
    t = Tokenizer.from_str(json.dumps(data))
    t.pre_tokenizer = pre_tokenizers.Sequence([*first, pre]) if first else pre
    if normalizer:
        t.normalizer = normalizer
    t.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme=pre.prepend_scheme)])
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    return t


def charsmap(forms):
    """SentencePiece's table: the size of a trie, the trie as a double array of darts-clone, and the forms."""
    blob, root = b"", {}
    for text, form in sorted(forms.items()):
        node = root
        for c in text.encode():
            node = node.setdefault(c, {})
        node[0] = len(blob)  # a leaf's value
        blob += form.encode() + b"\0"
    units, used = {0: 0}, {0}

    def place(at, node):
        base = next(b for b in range(1, 1 << 21) if all(b ^ c not in used for c in node))
        used.update(base ^ c for c in node)
        units[at] |= (at ^ base) << 10 | (0 in node) << 8
        for c, child in node.items():
            units[base ^ c] = c if c else child | 1 << 31
        for c, child in node.items():
            if c:
                place(base ^ c, child)

    place(0, root)
    trie = b"".join(units.get(i, 0).to_bytes(4, "little") for i in range(max(units) + 256))
    return len(trie).to_bytes(4, "little") + trie + blob


def some_forms():
    """Normal forms of characters and of letters with marks, spaces, and what is dropped."""
    forms = {c: unicodedata.normalize("NFKC", c) for c in OLDER if ord(c) < 0x3400 or 0xF900 <= ord(c) < 0x10000}
    forms.update({unicodedata.normalize("NFD", c): c for c in OLDER if ord(c) < 0x250})
    forms = {text: form for text, form in forms.items() if text != form}
    return forms | {"\t": " ", "\n": " ", "\r": " ", "\u200b": "", "\u200d": "", "\U0001f600": ":)"}


def word_piece(normalizer, pre):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizer, pre
    t.train_from_iterator(CORPUS.splitlines(), trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False))
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    t.decoder = decoders.WordPiece()
    return t


def suffix_bpe():
    """As GPT-1: the last character of a word is marked."""
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    t.normalizer = normalizers.BertNormalizer(strip_accents=None, lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(CORPUS.splitlines(), trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False))
    t.decoder = decoders.BPEDecoder()
    return t


def word_level():
    t = Tokenizer(models.WordLevel(unk_token="<unk>"))
    t.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                         normalizers.Strip(), normalizers.Replace(Regex(r"\d+"), "9")])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(),
                                               pre_tokenizers.Digits(individual_digits=True)])
    t.train_from_iterator(CORPUS.splitlines(), trainers.WordLevelTrainer(vocab_size=200, special_tokens=["<unk>"],
                                                                         show_progress=False))
    return t


def kinds():
    p, n = pre_tokenizers, normalizers
    yield "gpt2", byte_bpe(p.ByteLevel(add_prefix_space=False))
    yield "gpt2-prefix", byte_bpe(p.ByteLevel(add_prefix_space=True))
    yield "llama3", split_bpe("llama3", template="<s> $A", ignore_merges=True)
    yield "qwen2", split_bpe("qwen2", normalizer=n.NFC(), added=[
        AddedToken("<tool>", normalized=False), AddedToken("world", single_word=True, normalized=True),
        AddedToken("<l>", lstrip=True, normalized=False), AddedToken("<r>", rstrip=True, normalized=False)])
    yield "cl100k", split_bpe("cl100k", added=["  ", "    "])
    yield "o200k", split_bpe("o200k", normalizer=n.NFKC())
    yield "cl100k-possessive", split_bpe("cl100k-possessive")
    yield "bloom", split_bpe("bloom")
    yield "kimi", split_bpe("kimi")
    yield "deepseek", byte_bpe(p.Sequence([
        p.Split(Regex(r"\p{N}{1,3}"), "isolated"), p.Split(Regex("[一-龥぀-ゟ゠-ヿ]+"), "isolated"),
        p.Split(Regex(SPLITS["deepseek"]), "isolated"), p.ByteLevel(add_prefix_space=False, use_regex=False)]))
    yield "deepseek-coder", byte_bpe(p.Sequence([
        p.Split(Regex(r"[\r\n]"), "isolated"), p.Split(Regex(r"\s?\p{L}+"), "isolated"),
        p.Split(Regex(r"\s?\p{P}+"), "isolated"), p.Split(Regex("[一-龥ࠀ-一가-퟿]+"), "isolated"),
        p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False, use_regex=False)]))
    yield "digits-right", byte_bpe(p.Sequence([
        p.Split(Regex(r"\d{1,3}(?=(?:\d{3})*\b)"), "isolated"), p.Split(Regex(r"\b|(?<=\p{P})"), "merged_with_next"),
        p.Split(Regex(r"(?=(\d{3})+(?!\d))"), "isolated"), p.ByteLevel(add_prefix_space=False)]))
    yield "digits", byte_bpe(p.Sequence([p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False)]))
    yield "digit-runs", byte_bpe(p.Sequence([p.Digits(individual_digits=False), p.Punctuation("contiguous"),
                                             p.ByteLevel(add_prefix_space=False)]))
    yield "llama2", spm_bpe(normalizer=n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]))
    yield "llama2-metaspace", spm_bpe(pre=p.Metaspace(prepend_scheme="first", split=False))
    yield "gemma", spm_bpe(normalizer=n.Replace(" ", "▁"), pre=p.Split(" ", "merged_with_previous"),
                           decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]))
    yield "unigram", unigram(False, p.Metaspace(prepend_scheme="always"))
    yield "unigram-bytes", unigram(True, p.Metaspace(prepend_scheme="first"),
                                   n.Sequence([n.NFKC(), n.Replace(Regex(" {2,}"), " ")]))
    yield "unigram-never", unigram(True, p.Metaspace(prepend_scheme="never"), n.NFD())
    yield "unigram-precompiled", unigram(True, p.Metaspace(prepend_scheme="first"), n.Sequence([
        n.Precompiled(charsmap(some_forms())), n.Strip(False, True), n.Replace(Regex(" {2,}"), "▁")]))
    yield "scripts", unigram(True, p.Metaspace(prepend_scheme="first"), first=[p.UnicodeScripts()])
    yield "nmt", unigram(True, p.Metaspace(prepend_scheme="never"), n.Nmt())
    yield "byte-normalizer", byte_bpe(p.Split(Regex(r"Ġ?[^ĠĊ]+"), "isolated"), normalizer=n.ByteLevel())
    yield "wordpiece", word_piece(n.BertNormalizer(lowercase=True), p.BertPreTokenizer())
    yield "wordpiece-cased", word_piece(n.BertNormalizer(lowercase=False, strip_accents=False), p.Whitespace())
    yield "gpt1", suffix_bpe()
    yield "wordlevel", word_level()
    yield "split-next", byte_bpe(p.Sequence([p.Split("e", "merged_with_next"), p.Split(Regex(r"\d+|[aou]"), "contiguous"),
                                             p.CharDelimiterSplit("x"), p.Split(Regex(r"[a-z]+"), "removed", invert=False),
                                             p.ByteLevel(add_prefix_space=False, use_regex=False)]))


WORDS = [w for w in CORPUS.split(" ") if w] + ["<|endoftext|>", "<s>", "</s>", "<unk>", "<tool>", "<l>", "<r>", "[CLS]"]
SPACES = [" ", " ", " ", "  ", "   ", "\n", "\n\n", "\t", " \n ", "\r\n", "\u00a0", "\u3000", "\u2028", "\u0085", ""]
LETTERS = [c for c in map(chr, range(0x30000)) if unicodedata.category(c) not in ("Cn", "Cs", "Co")]
# Normal forms, marks and punctuation are in the library by tables of an older Unicode: what came later is left out there.
OLDER = [c for c in LETTERS if unicodedata.ucd_3_2_0.category(c) != "Cn"]


def texts(rng, count, letters):
    yield from ["", " ", "  ", "\n", "a", " a", "a ", "İstanbul ΣΑΣ", "'S 'LL 'ſ don'T", "e\u0301 ﬁ Å ẛ̣", "\u200d\u00ad x\u0000y",
                "world worlds world", "a <l> b <r>  c<tool>d", "    x    y", "<s>hi", "½ ² Ⅷ ⓐ १२३ 12345", "😀" * 3]
    for i in range(count):
        kind, n = rng.randrange(4), rng.randrange(1, 24)
        if kind == 0:
            yield "".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(n))
        elif kind == 1:
            yield "".join(rng.choice(letters) for _ in range(n))
        elif kind == 2:
            yield "".join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0x250), 32, 10])) for _ in range(n))
        else:
            yield "".join(rng.choice([rng.choice(letters[:3000]), rng.choice(WORDS), rng.choice(SPACES)]) for _ in range(n))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder")
    a.add_argument("--texts", type=int, default=40, help="random texts for each tokenizer (default 40)")
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    for name, t in kinds():
        t = Tokenizer.from_str(t.to_str())
        cases = []
        letters = OLDER if t.normalizer or "Punctuation" in t.to_str() or name == "scripts" else LETTERS
        for text in texts(random.Random(a.seed), a.texts, letters):
            ids = t.encode(text, add_special_tokens=False).ids
            cases.append({"text": text, "ids": ids, "prompt": t.encode(text).ids, "decoded": t.decode(ids)})
        data = json.dumps({"tokenizer": json.loads(t.to_str()), "cases": cases}, ensure_ascii=False)
        with open(os.path.join(a.folder, name + ".json.gz"), "wb") as raw, \
                gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:  # the same bytes each time
            f.write(data.encode())
        print(f"{name}: {t.get_vocab_size()} tokens, {len(cases)} texts")


if __name__ == "__main__":
    main()

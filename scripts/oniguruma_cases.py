#!/usr/bin/env python3
"""Write regular expressions, and what Oniguruma, in the library tokenizers, finds by them in texts.

FILE, gzipped JSON, is a list of cases: an expression and, of each text, the text with U+E000 for each match,
and the ends of the parts that its matches cut it into. The tests of tokenizer/hf/internal/oniguruma read it:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers==0.23.3
    /tmp/venv/bin/python scripts/oniguruma_cases.py tokenizer/hf/internal/oniguruma/testdata/cases.json.gz

Two things are known to differ, and are not in the cases: characters that came with Unicode 16, which this library
has and Go has not, and counted repetitions of what may be empty, such as (?:(?<=b)c*){3}, which Oniguruma ends at the
first that is empty unless it writes them out.
"""

import argparse
import gzip
import json
import random

import needs

needs.packages(__doc__, "tokenizers")

from tokenizers import Regex, normalizers, pre_tokenizers

MARK = "\ue000"

# Each with texts in which it shows what it does.
CHOSEN = [
    (r"\p{N}{1,3}+", ["1234567 12"]), (r"a{2}?", ["aaaaa"]), (r"a{3,1}", ["aaaaa"]), (r"a{,2}", ["aaaaa"]),
    (r"a{", ["a{a"]), (r"a{,}", ["a{,}aa"]), (r"a{1", ["a{1"]), (r"a{2}{2}", ["aaaaaa"]), (r"a{0}", ["aa"]), (r"a{2}+", ["aaaaa"]),
    (r"a{1,2}?", ["aaa"]), (r"a{2,}?b", ["aaab"]), (r"a{x}", ["a{x}a"]), (r"a{2,x}", ["a{2,x}aa"]),
    (r"a{2,1}a", ["aa a", "aaa"]), (r"a{12}", ["a" * 25]), (r"a{2,10}", ["a" * 25]),
    (r"(?m)a.b", ["a\nb"]), (r"(?m:.)+", ["a\nb"]), (r"(?m:(?-m:.))+", ["a\nb"]), (r"a.b", ["a\nb acb"]), (r".+", ["ab\ncd"]),
    (r"^", ["a\nb\n", "\n\na", "a"]), (r"$", ["a\nb\n", "\n\na", "a"]), (r"\Z", ["a\nb\n", "a\n\n", "a"]), (r"\z", ["a\nb\n"]),
    (r"\A", ["a\nb\n"]), (r"^a", ["aa\naab\n a"]), (r"a$", ["aa\naab\n a"]), (r"\Aa|b\z", ["abab"]), (r"a\Z", ["a\na\n"]),
    (r"a(?i)b|c", ["aBCcCa ab ac aC c"]), (r"(?:a(?i)b|c)d", ["aBd aCD acd ABd aBD"]), (r"(?i:a)a", ["aAAaaa"]),
    (r"(?i-m:a.)", ["aA\n"]), (r"(?im:a.)", ["aA\nx"]), (r"(?-i:a)", ["aA"]), (r"(?i:(?-i:a)b)", ["aB AB ab"]), (r"(?mi)a.", ["A\n"]),
    (r"(?i:ß)", ["ssSSßẞs"]), (r"(?i:ss)", ["ssSSßẞs"]), (r"(?i:s)", ["sSſßß"]), (r"(?i:[ß])", ["ssSSßẞs"]),
    (r"(?i:\p{Lu})", ["aAß"]), (r"(?i:[\p{Lu}])", ["aAßss1"]), (r"(?i:[^a])", ["aAbB"]), (r"(?i:k)", ["kK\u212a"]),
    (r"(?i:[a-c])", ["aBCdD"]), (r"(?i:[^\p{Lu}])", ["aA1"]), (r"(?i:sss|é)", ["sß ßs sss É"]), (r"(?i:sss)", ["sß ßs sss ssß"]),
    (r"(?i:ffi)", ["ffi ﬃ ﬀi fﬁ FFI"]), (r"(?i:ﬃ)", ["ffi ﬃ ﬀi fﬁ"]), (r"(?i:fﬁ)", ["ffi ﬃ fﬁ"]), (r"(?i:st)", ["st ﬆ ﬅ ST ſt"]),
    (r"(?i:ss+)", ["ssss ß sß"]), (r"(?i:ßs)", ["sss ßs sß"]), (r"(?i:ssss)", ["ssss ßß ssß ßss sßs"]), (r"(?i:ΐ)", ["ΐ ΐ"]),
    (r"(?i:i̇)", ["İ i̇ i"]), (r"(?i:ᾳ)", ["αι ᾳ ᾼ ΑΙ"]), (r"(?i:σ)", ["σςΣ"]), (r"(?i:ς+)", ["σςΣa"]), (r"(?i:'s|'t|'re)", ["'S 'ſ 'RE 're'"]),
    (r"(?i:[ßa])b", ["ssb ßB ab sb"]), (r"(?i:[fﬃ])x", ["ffix ﬃx fx"]), (r"(?i:[^ß])", ["ssßẞ"]),
    (r"[]a]", ["]a"]), (r"[^]a]", ["]ab"]), (r"[]-a]", ["]^_a-b"]), (r"[a-]", ["a-b"]), (r"[-a]", ["a-b"]), (r"[a-c-e]", ["abc-de"]),
    (r"[a&&]", ["a&"]), (r"[&&a]", ["a&"]), (r"[^a&&b]", ["ab&c"]), (r"[a-z&&[^aeiou]]", ["abcde"]), (r"[a-z&&aeiou]", ["abcde"]),
    (r"[a-c&&b-d&&c]", ["abcd"]), (r"[a&b]", ["a&b"]), (r"[^a-c&&b-d]", ["abcde"]), (r"[a-&&-b]", ["a-&b"]),
    (r"[[a-c][x-z]]", ["abxq"]), (r"[^[^a]]", ["ab"]), (r"[^[a]b]", ["abc"]), (r"[a[^b]]", ["abc"]),
    (r"[[:alpha:]]+", ["aé1Ⅷⓐ"]), (r"[[:^alpha:]]", ["a1 "]), (r"[:alpha:]", ["a1:lb"]), (r"[^[:space:]a]", ["a b\u3000c"]),
    (r"[[:punct:]]+", ["a!$+«€1"]), (r"\p{punct}+", ["a!$+«€1"]), (r"[[:graph:]]+", ["a \u00a0\u0001é\u200b"]),
    (r"[[:print:]]+", ["a \u00a0\u0001é\t\u2028"]), (r"[[:cntrl:]]", ["a\x01\x7f\x85 "]), (r"[[:blank:]]", ["a \t\n\u3000"]),
    (r"[[:upper:]]", ["aAǅⅧ"]), (r"[[:lower:]]", ["aAªⅷǅ"]), (r"[[:xdigit:]]", ["afAFgG09１"]), (r"[[:alnum:]]", ["a1²_ "]),
    (r"[[:word:]]", ["a1²_ \u0301"]), (r"[[:digit:]]", ["1١²"]), (r"[[:space:]]", ["a\x85\u00a0\u200b\x0b"]), (r"[[:ascii:]]", ["a\x7f\x80é"]),
    (r"\w", ["a²³¹¼½¾_\u200dⅧⓐé-४\u0301"]), (r"[\w]", ["a²³¹¼½¾_\u200dⅧⓐé-४\u0301"]), (r"\W", ["a²³¹¼½¾_-"]), (r"[\W]", ["a²¼_-"]),
    (r"[^\w]", ["a²¼_-"]), (r"[^\W]", ["a²¼_-"]), (r"\b", ["ab cd", "²a", "é漢-x", " "]), (r"\B", ["ab cd", "", " "]),
    (r"\bab\b", ["ab abc ab"]), (r"\h+", ["afg09AFG"]), (r"\H", ["afg"]), (r"\D+", ["a1٣b"]), (r"\S+", ["a \u2003b"]),
    (r"\R", ["a\r\nb\n\rc\x0b\x0c\x85\u2028\u2029\t\x0e"]), (r"\R\n", ["\r\n\n \n\n \r\n"]), (r"\N", ["a\nb\r"]), (r"\O", ["a\nb"]), (r"\N+\O", ["ab\ncd"]),
    (r"[\b]", ["a\bb"]), (r"\x41", ["AB"]), (r"\x{41}\x{1F600}", ["A😀"]), (r"\u0041\u6f22", ["A漢"]), (r"\x4", ["\x04"]), (r"\x", ["\x00x"]),
    (r"\0", ["\0"]), (r"\07", ["\7"]), (r"\0101", ["\0101", "\x081"]), (r"\08", ["\0" "8"]),
    (r"\t\n\v\f\r\a\e", ["\t\n\v\f\r\a\x1b"]), (r"[\t\n\v\f\r\a\e]", ["\t\n\v\f\r\a\x1bve"]), (r"\i\-\!", ["i-!"]), (r"[\x{41}-\x{43}]", ["ABCD"]),
    (r"[\u0041-\u0043\-]", ["ABD-"]), (r"\pL", ["aLpL"]), (r"\p{L}", ["a1漢"]), (r"\p{^L}", ["a1"]), (r"\P{^L}", ["a1"]), (r"\P{L}", ["a1"]),
    (r"[\p{^L}a]", ["ab1"]), (r"[\P{L}]", ["a1"]), (r"\p{Han}+", ["漢字aか"]), (r"\p{letter}\p{Uppercase_Letter}\p{LU}", ["aAA"]),
    (r"\p{alphabetic}\p{Uppercase}\p{Lower case}", ["aAa ⅷⅧⅷ"]), (r"\p{Any}", ["a\n"]), (r"\p{Assigned}", ["a\u0378"]), (r"\p{Cn}", ["a\u0378"]),
    (r"\p{White_Space}\p{Nd}", [" 1 ²"]), (r"\p{hex-digit}+", ["09afg"]), (r"\p{LC}", ["aAǅª漢"]), (r"\p{C}", ["a\x01\u200b\ue001\u0378"]),
    (r"(?<=a+)b", ["aabab bb"]), (r"(?<!a)b", ["abbb"]), (r"(?<=a|bc)d", ["adbcdd"]), (r"(?<=^a)b", ["ab\nab aab"]), (r"(?<=漢)b", ["漢b字b"]),
    (r"(?<!a*b)c", ["c bc abc ac"]), (r"(?<=(?<=a)b)c", ["abc bc"]), (r"(?<=a{2,3}?)b", ["ab aab"]), (r"(?<=a{2})b", ["ab aab"]),
    (r"(?<=ab|c)d", ["abd cd bd"]), (r"(?<=\ba)b", ["ab aab"]), (r"(?=a*b)a", ["aab aa"]), (r"a(?!b)", ["ab ac a"]), (r"(?=a)(?!ab).", ["ab ac"]),
    (r"(?<n>a)b", ["ab"]), (r"(?#x)a(?#y)b", ["ab"]), (r"a++b|a", ["aaab aaa"]), (r"(?>a+)a", ["aaa"]), (r"(?>a|ab)c", ["ac abc"]), (r"(?>)a", ["a"]),
    (r"(a|b*)*c", ["abbac c"]), (r"(?:a|)+b", ["aab b"]), (r"(?:a??)*b", ["aab"]), (r"(?:a*)+?b", ["aab"]), (r"(?:(?:a|b?)*c?)*d", ["abcabd"]),
    (r"a**", ["aaa"]), (r"a+?", ["aaa"]), (r"(?:ab){2,3}?c", ["ababc abababababc"]),
    (r"]", ["a]"]), (r"}", ["}"]), (r"", ["abc"]), (r"x*", ["axb", "xx"]), (r"a|ab|abc", ["abc"]), (r"a||b", ["ab"]), (r"(|a)b", ["ab"]), (r"()", ["a"]),
    (r"\s+$", ["ab  \n c  ", "a \n \n"]), (r"\s++$|\s+(?!\S)|\s", ["a  b   ", "\n\n a"]), (r"(?=(\d{3})+(?!\d))", ["1234567 12 123"]),
    (r"\d{1,3}(?=(?:\d{3})*\b)", ["1234567 12 1234"]), (r"[\p{L}&&\p{Latin}]+|\p{L}", ["aé漢字b"]),
]

LETTERS = ["a", "b", "c", "1", " ", r"\.", "é", "s", "S", "ß", "ss", "ab", "'", r"\n", "漢"]
SETS = [r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\p{L}", r"\P{L}", r"\p{Lu}", r"\p{Han}", r"\h", ".", r"\R", r"\N", r"\O", "[ab]", "[^ab]",
        r"[^\s\p{L}]", "[a-c&&[^b]]", "[^a&&b]", "[[:alpha:]]", "[[:^space:]1]", r"[^(\s|[.,!?…])]", r"[\s\S&&\w]", "[^[^a]b]", "[a[b1]]",
        "[]a]", "[a-c-1]", r"[^\r\n\p{L}\p{N}]", "[ßa]", "[a-s]", r"\x61", r"\u0062", r"\x{e9}"]
PLACES = [r"\b", r"\B", "^", "$", r"\A", r"\z", r"\Z"]
BEHIND = ["a", "b", r"\s", r"\d", "ab", "a|b1", r"\w\w", "[^a]", "a?b", "a*", r"\p{L}+ ?", "(?:a|bc)", "^a", r"\ba", ""]
OPEN = ["(", "(?:", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?m:", "(?i)", "(?<n>"]
TIMES = ["?", "*", "+", "{2}", "{1,2}", "{2,}", "{,2}", "{0,3}", "??", "*?", "+?", "?+", "*+", "++", "{1,2}?", "{2}?", "{1,2}+", "{2,1}", "{2,}?"]


def atom(rng, depth):
    """An expression that a quantifier may follow, and whether it may."""
    k = rng.random()
    if depth <= 0 or k < .35:
        return rng.choice(LETTERS), True
    if k < .6:
        return rng.choice(SETS), True
    if k < .68:
        return rng.choice(PLACES), False
    group = rng.choice(OPEN)
    if group == "(?i)":
        return "(?:a(?i)" + choice(rng, depth - 1) + ")", True
    if group in ("(?<=", "(?<!"):
        return group + rng.choice(BEHIND) + ")", False
    return group + choice(rng, depth - 1) + ")", group not in ("(?=", "(?!")


def sequence(rng, depth):
    out = ""
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
        part, repeats = atom(rng, depth)
        out += part + (rng.choice(TIMES) if repeats and rng.random() < .4 else "")
    return out


def choice(rng, depth):
    return "|".join(sequence(rng, depth) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def found(expression, texts):
    marked = normalizers.Replace(Regex(expression), MARK)
    parts = pre_tokenizers.Split(Regex(expression), "isolated")
    return [[t, marked.normalize_str(t), [end for _, (_, end) in parts.pre_tokenize_str(t)]] for t in texts]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("file")
    a.add_argument("--count", type=int, default=1500, help="random expressions (default 1500)")
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    rng = random.Random(a.seed)
    cases = [[e, found(e, texts)] for e, texts in CHOSEN]
    while len(cases) < len(CHOSEN) + a.count:
        expression = choice(rng, rng.choice([1, 2, 2, 3]))
        texts = ["".join(rng.choice("aabbc1  \n.éßsS漢'") for _ in range(rng.choice([3, 6, 10, 20]))) for _ in range(6)]
        try:
            cases.append([expression, found(expression, texts)])
        except BaseException:  # what the library refuses, or gives up: a panic is no Exception
            continue
    with open(a.file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:
        f.write(json.dumps(cases, ensure_ascii=False).encode())


if __name__ == "__main__":
    main()

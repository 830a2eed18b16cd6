#!/usr/bin/env python3
"""Builds jieba-0.42.1.txt.gz: the dictionary and the hidden Markov model of jieba.

    pip install jieba==0.42.1
    ./build_jieba.py "$(python -c 'import jieba, os; print(os.path.dirname(jieba.__file__))')"

The text has sections. After `=total` one line: the sum of all frequencies, those of repeated words
included. After `=words` every line is a word and its frequency, sorted by code point. After `=B`,
`=E`, `=M` and `=S` every line is a character and the logarithm of its probability in that state.
"""
import gzip
import pathlib
import runpy
import sys

source = pathlib.Path(sys.argv[1])
words, total = {}, 0
for line in (source / "dict.txt").open(encoding="utf-8"):
    word, frequency = line.strip().split(" ")[:2]
    words[word] = int(frequency)
    total += int(frequency)
emissions = runpy.run_path(str(source / "finalseg" / "prob_emit.py"))["P"]
lines = ["=total", str(total), "=words"]
lines += [f"{word} {frequency}" for word, frequency in sorted(words.items())]
for state in "BEMS":
    lines.append(f"={state}")
    lines += [f"{character} {value!r}" for character, value in sorted(emissions[state].items())]
text = "\n".join(lines) + "\n"
out = pathlib.Path(__file__).with_name("jieba-0.42.1.txt.gz")
out.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
print(len(lines), "lines,", len(text.encode()), "bytes,", out.stat().st_size, "compressed")

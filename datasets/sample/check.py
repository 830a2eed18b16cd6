#!/usr/bin/env python3
"""Check the sample set against its card and its own rules; exit 1 with file and line on failure."""

import hashlib
import json
import re
import sys
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SPECIALTIES = {
    "Cardiology", "Pulmonology", "Gastroenterology", "Neurology", "Endocrinology",
    "Nephrology", "Rheumatology", "Hematology", "Dermatology", "Infectious Disease",
}
PREVALENCES = {"common", "uncommon", "rare"}
DOMAINS = {"demographics", "history", "symptom", "sign", "test", "medication"}
KEYS = {
    "vignettes.jsonl": ["id", "text", "question", "gold", "synonyms", "specialty", "prevalence",
                        "reference", "facts", "source", "language"],
    "choice.jsonl": ["id", "question", "options", "answer", "specialty", "prevalence", "source",
                     "language"],
    "syndromes.jsonl": ["id", "text", "question", "label", "labels", "specialty", "source",
                        "language"],
}
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


def read_rows(file, prefix, source, language):
    """Return (line number, row) pairs of a JSON Lines file whose keys and ids are right."""
    rows, seen = [], {}
    for number, line in enumerate(read_lines(file), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            expect(False, file, number, f"is not JSON: {error}")
            continue
        if not expect(isinstance(row, dict) and list(row) == KEYS[file], file, number,
                      f"keys are not {KEYS[file]}"):
            continue
        expect(row["id"] not in seen, file, number,
               f"id {row['id']} repeats line {seen.get(row['id'])}")
        seen[row["id"]] = number
        expect(row["id"] == f"{prefix}-{number:03}", file, number, f"unexpected id {row['id']}")
        expect(row["source"] == source, file, number, f"source is not {source}")
        expect(row["language"] == language, file, number, f"language is not {language}")
        for key in ("text", "question", "reference"):
            expect(row.get(key, "x").strip() == row.get(key, "x") != "", file, number,
                   f"{key} is empty or padded")
        rows.append((number, row))
    return rows


def fold(text):
    """Fold case, hyphens, apostrophes, blanks and the British ae/oe, so that variants meet."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"['’]", "", text)
    text = re.sub(r"[-‐‑–—\s]+", " ", text)
    return text.replace("ae", "e").replace("oe", "e")


def initials(name):
    """Return the abbreviation a reader would form from a name, or None if under three letters."""
    words = [word for word in re.split(r"[\s-]+", name) if word[:1].isalpha()]
    letters = "".join(word[0] for word in words).upper()
    return letters if len(letters) >= 3 else None


def leaks(names, text):
    """Return the names, and abbreviations of names, that occur in a text."""
    found = [name for name in names
             if name.casefold() in text.casefold() or fold(name) in fold(text)]
    for short in filter(None, map(initials, names)):
        if re.search(rf"\b{re.escape(short)}\b", text):
            found.append(short)
    return found


def check_subgroups(file, rows, prevalence):
    for number, row in rows:
        expect(row["specialty"] in SPECIALTIES, file, number, "unknown specialty")
        expect(row["prevalence"] in PREVALENCES, file, number, "unknown prevalence")
    specialties = Counter(row["specialty"] for _, row in rows)
    expect(set(specialties.values()) == {2} and len(specialties) == 10, file, 0,
           f"specialties are not two each: {dict(specialties)}")
    counts = Counter(row["prevalence"] for _, row in rows)
    expect(counts == prevalence, file, 0, f"prevalence counts {dict(counts)} are not {prevalence}")


def check_vignettes():
    file = "vignettes.jsonl"
    rows = read_rows(file, "vignette", "sample-vignettes", "en")
    check_subgroups(file, rows, {"common": 7, "uncommon": 7, "rare": 6})
    for number, row in rows:
        size = len(row["text"])
        expect(900 <= size <= 2500, file, number, f"text has {size} characters, not 900-2500")
        words = len(row["reference"].split())
        expect(80 <= words <= 150, file, number, f"reference has {words} words, not 80-150")
        names = row["gold"] + row["synonyms"]
        expect(row["gold"] and row["synonyms"] and all(isinstance(name, str) for name in names),
               file, number, "gold or synonyms are empty or not text")
        expect(len({fold(name) for name in row["gold"]}) == len(row["gold"]), file, number,
               "gold repeats itself")
        expect(not set(row["gold"]) & set(row["synonyms"]), file, number,
               "a synonym repeats a gold")
        for name in leaks(names, row["text"] + "\n" + row["question"]):
            expect(False, file, number, f"text gives away {name!r}")
        expect(any(fold(name) in fold(row["reference"]) for name in names), file, number,
               "reference does not name the diagnosis")
        facts = row["facts"]
        expect(10 <= len(facts) <= 16, file, number, f"{len(facts)} facts, not 10-16")
        expect(len({fact["text"] for fact in facts}) == len(facts), file, number, "repeated fact")
        expect({"demographics", "symptom", "sign", "test"} <= {fact["domain"] for fact in facts},
               file, number, "facts miss demographics, symptom, sign or test")
        for fact in facts:
            expect(list(fact) == ["text", "domain"], file, number, "fact keys are wrong")
            expect(fact["text"] and fact["text"] in row["text"], file, number,
                   f"fact is not in the text: {fact['text']!r}")
            expect(fact["domain"] in DOMAINS, file, number, f"unknown domain {fact['domain']!r}")
    return len(rows)


def check_choice():
    file = "choice.jsonl"
    rows = read_rows(file, "choice", "sample-choice", "en")
    check_subgroups(file, rows, {"common": 6, "uncommon": 8, "rare": 6})
    for number, row in rows:
        size = len(row["question"])
        expect(250 <= size <= 700, file, number, f"question has {size} characters, not 250-700")
        letters = "".join(row["options"])
        expect(letters in ("ABCD", "ABCDE"), file, number, f"option letters are {letters}")
        expect(row["answer"] in row["options"], file, number, "answer is not one of the letters")
        options = [fold(option) for option in row["options"].values()]
        expect(all(options) and len(set(options)) == len(options), file, number,
               "options are empty or repeated")
        expect(not any(re.search(r"\b(all|none) of the above\b", option) for option in options),
               file, number, "an option is all or none of the above")
        expect(fold(row["options"].get(row["answer"], "?")) not in fold(row["question"]), file,
               number, "question contains the right option")
    answers = Counter(row["answer"] for _, row in rows)
    expect(answers == dict.fromkeys("ABCDE", 4), file, 0, f"letters are uneven: {dict(answers)}")
    five = sum(len(row["options"]) == 5 for _, row in rows)
    expect(five == 8, file, 0, f"{five} questions have five options, not 8")
    return len(rows)


def check_syndromes():
    file, alias_file = "syndromes.jsonl", "syndrome-aliases.tsv"
    rows = read_rows(file, "syndrome", "sample-syndromes", "zh")
    labels = rows[0][1]["labels"] if rows else []
    expect(len(set(labels)) == 5 == len(labels), file, 1, "labels are not five different ones")
    expect({"湿热下注证", "脾肾阳虚证"} <= set(labels), file, 1, "a required label is missing")

    aliases = {}
    lines = read_lines(alias_file)
    expect(lines[:1] == ["alias\tcanonical"], alias_file, 1, "header is not alias, canonical")
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if not expect(len(cells) == 2 and all(cells), alias_file, number, "not two columns"):
            continue
        alias, canonical = cells
        expect(canonical in labels, alias_file, number, f"{canonical} is not a label")
        expect(alias not in labels, alias_file, number, f"{alias} is itself a label")
        expect(alias not in aliases, alias_file, number, f"{alias} occurs twice")
        aliases[alias] = canonical
    for label in labels:
        count = list(aliases.values()).count(label)
        expect(2 <= count <= 4, alias_file, 0, f"{label} has {count} aliases, not 2-4")

    for number, row in rows:
        size = len(row["text"])
        chinese = len(re.findall(r"[\u3400-\u9fff]", row["text"]))
        expect(size <= 300 and chinese >= 120, file, number,
               f"text has {size} characters, {chinese} of them Chinese; not 120-300")
        expect(row["labels"] == labels, file, number, "labels differ from line 1")
        expect(row["label"] in labels, file, number, f"{row['label']} is not one of the labels")
        for name in [*labels, *aliases]:
            stem = re.sub(r"证型$|[证型]$", "", name).casefold()
            expect(stem not in (row["text"] + row["question"]).casefold(), file, number,
                   f"text gives away {stem}")
    sizes = sorted(Counter(row["label"] for _, row in rows).values(), reverse=True)
    expect(sizes == [4, 3, 2, 2, 1], file, 0, f"label sizes are {sizes}, not 4, 3, 2, 2, 1")
    return len(rows), max(len(lines) - 1, 0)


def check_card(counts):
    file = "dataset.toml"
    lines = read_lines(file)
    try:
        card = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        expect(False, file, 0, f"is not TOML: {error}")
        return
    expect("synthetic, not clinically validated" in card.get("terms", ""), file, 0,
           "terms lack the marking")
    expect(card.get("licence") == "Apache-2.0", file, 0, "licence is not Apache-2.0")
    expect(card.get("source") == "written for this project", file, 0, "source is wrong")
    expect(card.get("language") == ["en", "zh"], file, 0, "language is not en, zh")
    entries = {entry.get("name"): entry for entry in card.get("file", [])}
    expect(list(entries) == list(counts), file, 0, f"files are {list(entries)}")
    for name, count in counts.items():
        entry = entries.get(name, {})
        quoted = f'name = "{name}"'
        line = next((n for n, text in enumerate(lines, 1) if text == quoted), 0)
        expect(entry.get("rows") == count, file, line, f"{name} has {count} rows")
        path = FOLDER / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
        expect(entry.get("sha256") == digest, file, line, f"sha256 of {name} is {digest}")
        if name in KEYS:
            forms = {"vignettes.jsonl": "diagnosis", "choice.jsonl": "choice",
                     "syndromes.jsonl": "label"}
            expect(entry.get("adapter") == "table", file, line, "adapter is not table")
            expect(entry.get("answer_form") == forms[name], file, line, "wrong answer_form")
            for column in entry.get("fields", {}).values():
                expect(column in KEYS[name], file, line, f"{name} has no column {column}")


def check_vignette_aliases():
    """Every alias of the table is a gold or synonym of the vignette it names, and all are there."""
    file = "vignette-aliases.tsv"
    lines = read_lines(file)
    expect(lines[:1] == ["alias\tcanonical"], file, 1, "header is not alias, canonical")
    wanted = set()
    for _, row in read_rows("vignettes.jsonl", "vignette", "sample-vignettes", "en"):
        preferred, *others = row["gold"]
        wanted |= {(name.lower(), preferred) for name in others + row["synonyms"]
                   if name.lower() != preferred.lower()}
    found = set()
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if expect(len(cells) == 2 and all(cells), file, number, "not two columns"):
            pair = (cells[0].lower(), cells[1])
            expect(pair in wanted, file, number, f"{cells[0]} names no vignette's diagnosis")
            expect(pair not in found, file, number, f"{cells[0]} occurs twice")
            found.add(pair)
    expect(found == wanted, file, 0, f"{len(wanted - found)} synonyms are missing")
    return len(found)


def main():
    vignettes, choices = check_vignettes(), check_choice()
    expect(vignettes == 20, "vignettes.jsonl", 0, f"{vignettes} good rows, not 20")
    expect(choices == 20, "choice.jsonl", 0, f"{choices} good rows, not 20")
    syndromes, aliases = check_syndromes()
    expect(syndromes == 12, "syndromes.jsonl", 0, f"{syndromes} good rows, not 12")
    diagnoses = check_vignette_aliases()
    check_card({"vignettes.jsonl": vignettes, "choice.jsonl": choices,
                "syndromes.jsonl": syndromes, "syndrome-aliases.tsv": aliases,
                "vignette-aliases.tsv": diagnoses})
    if FAILURES:
        print("\n".join(FAILURES), file=sys.stderr)
        return 1
    print(f"sample set: {vignettes} vignettes, {choices} choice questions, {syndromes} syndromes, "
          f"{aliases} + {diagnoses} aliases; all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

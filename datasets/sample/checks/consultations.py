"""consultations.jsonl and votes.jsonl."""

from collections import Counter

from .reading import expect, read_rows
from .words import is_language

KEYS = ["id", "case", "specialty", "kind", "design", "left", "right", "source", "language"]
VOTE_KEYS = ["panel", "packet", "reviewer", "dimension", "value", "active_ms", "at", "synthetic"]
KINDS = {"clear": 10, "near-tie": 5, "both-unsafe": 3, "length-confounded": 3, "identity-leak": 3}
DIMENSIONS = {"proactiveness", "accuracy", "practicality", "overall"}


def spoken(side):
    """Return everything a side shows, turn by turn."""
    return [turn["text"] for turn in side["turns"]] + [side["conclusion"]]


def check_consultations():
    file = "consultations.jsonl"
    rows = read_rows(file, KEYS, ["pair", "calibration", "repeat"], "sample-consultations")
    by_id = {row["id"]: row for _, row in rows}
    pairs = [row for _, row in rows if row["id"].startswith("pair-")]
    expect((len(pairs), len(rows)) == (24, 32), file, 0, "not 24 pairs, 5 calibrations, 3 repeats")
    kinds = Counter(row["kind"] for row in pairs)
    expect(kinds == KINDS, file, 0, f"kinds are {dict(kinds)}, not {KINDS}")
    chinese = sum(row["language"] == "zh" for row in pairs)
    expect(chinese == 6, file, 0, f"{chinese} Chinese pairs, not 6")
    first = Counter(row["left"]["system"] for row in pairs)
    expect(first == {"system-a": 12, "system-b": 12}, file, 0, f"left sides are {dict(first)}")
    for number, row in rows:
        design = row["design"]
        systems = {row[side]["system"] for side in ("left", "right")}
        expect(systems == {"system-a", "system-b"}, file, number, "not one side of each system")
        for side in ("left", "right"):
            turns = row[side]["turns"]
            expect(8 <= len(turns) <= 12, file, number, f"{side} has {len(turns)} turns, not 8-12")
            speakers = [turn["speaker"] for turn in turns]
            expect(all(one != other for one, other in zip(speakers, speakers[1:])), file, number,
                   f"{side}: one speaker twice in a row")
            for text in spoken(row[side]):
                expect(is_language(text, row["language"]), file, number,
                       f"{side} is not in its language: {text[:40]!r}")
        if row["kind"] == "identity-leak" and row["id"].startswith("pair-"):
            said = " ".join(spoken(row[design["side"]]))
            expect(design["leak"] in said, file, number, "the leak is not there")
        if "repeats" in design:
            first_row = by_id.get(design["repeats"])
            if expect(first_row is not None, file, number, "repeats nothing"):
                expect((first_row["left"], first_row["right"]) == (row["right"], row["left"]),
                       file, number, "is no swapped copy")
    return rows


def check_votes():
    """Six raters, 24 pairs, 4 dimensions, 8 % missing; all marked synthetic."""
    file = "votes.jsonl"
    rows = read_rows(file, VOTE_KEYS)
    seen = Counter((row["packet"], row["reviewer"], row["dimension"]) for _, row in rows)
    expect(max(seen.values(), default=0) == 1, file, 0, "a vote occurs twice")
    expect(len(rows) == 530, file, 0, f"{len(rows)} votes, not 576 less 8 %")
    expect(len({row["reviewer"] for _, row in rows}) == 6, file, 0, "not six raters")
    expect(len({row["packet"] for _, row in rows}) == 24, file, 0, "not 24 pairs")
    for number, row in rows:
        expect(row["synthetic"] is True, file, number, "is not marked synthetic")
        expect(row["dimension"] in DIMENSIONS, file, number, "unknown dimension")
        expect(row["value"] in ("left", "tie", "right"), file, number, "unknown value")
    return rows

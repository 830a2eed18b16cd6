"""choice.jsonl and questions.jsonl."""

import re
from collections import Counter

from .reading import expect, read_rows
from .vignettes import PREVALENCES, SPECIALTIES
from .words import fold, is_language

CHOICE_KEYS = ["id", "question", "options", "answer", "specialty", "prevalence", "split", "design",
               "source", "language"]
QUESTION_KEYS = ["id", "question", "context", "answer", "specialty", "prevalence", "split",
                 "design", "source", "language"]


def check_shared(file, rows):
    """Subgroups, splits and the design that both files have."""
    others = {row["id"]: row for _, row in rows}
    for number, row in rows:
        expect(row["specialty"] in SPECIALTIES, file, number, "unknown specialty")
        expect(row["prevalence"] in PREVALENCES, file, number, "unknown prevalence")
        expect(row["split"] in ("train", "test"), file, number, "split is not train or test")
        expect(is_language(row["question"], row["language"]), file, number, "is not English")
        design = row["design"]
        if "analogue_of" in design:
            twin = others.get(design["analogue_of"])
            if expect(twin is not None, file, number, "the analogue is missing"):
                expect(twin["design"].get("analogue_of") == row["id"], file, number,
                       "the analogue names another")
                expect(twin["split"] != row["split"], file, number, "both are in one split")
        if "positions" in design:
            choices = {position["choice"] for position in design["positions"]}
            expect(len(choices) >= 2, file, number, "the positions agree")
            expect(row["split"] == "test", file, number, "a case of dissent is not in test")


def check_choices():
    file = "choice.jsonl"
    rows = read_rows(file, CHOICE_KEYS, "choice", "sample-choice")
    expect(len(rows) == 50, file, 0, f"{len(rows)} rows, not 50")
    expect({row["specialty"] for _, row in rows} == SPECIALTIES, file, 0, "a specialty is missing")
    for number, row in rows:
        size = len(row["question"])
        expect(250 <= size <= 700, file, number, f"question has {size} characters, not 250-700")
        expect("".join(row["options"]) == "ABCD", file, number, "options are not A to D")
        expect(row["answer"] in row["options"], file, number, "answer is not one of the letters")
        options = [fold(option) for option in row["options"].values()]
        expect(all(options) and len(set(options)) == len(options), file, number,
               "options are empty or repeated")
        expect(not any(re.search(r"\b(all|none) of the above\b", option) for option in options),
               file, number, "an option is all or none of the above")
        expect(fold(row["options"].get(row["answer"], "?")) not in fold(row["question"]), file,
               number, "question contains the right option")
    letters = Counter(row["answer"] for _, row in rows)
    expect(set(letters.values()) <= {12, 13}, file, 0, f"letters are uneven: {dict(letters)}")
    return rows


def check_questions():
    file = "questions.jsonl"
    rows = read_rows(file, QUESTION_KEYS, "question", "sample-questions")
    for number, row in rows:
        words = len(row["context"].split())
        expect(110 <= words <= 240, file, number, f"context has {words} words, not 110-240")
    answers = Counter(row["answer"] for _, row in rows)
    expect(answers == {"yes": 12, "no": 11, "maybe": 7}, file, 0, f"answers are {dict(answers)}")
    return rows


def check_both():
    choices, questions = check_choices(), check_questions()
    check_shared("choice.jsonl", choices)
    check_shared("questions.jsonl", questions)
    both = [row for _, row in choices + questions]
    splits = Counter(row["split"] for row in both)
    expect(splits == {"train": 40, "test": 40}, "choice.jsonl", 0,
           f"with questions.jsonl the splits are {dict(splits)}, not 40 each")
    analogues = sum("analogue_of" in row["design"] for row in both)
    expect(analogues == 24, "choice.jsonl", 0, f"{analogues} rows in analogue pairs, not 24")
    dissent = sum("positions" in row["design"] for row in both)
    expect(dissent == 6, "choice.jsonl", 0, f"{dissent} rows of dissent, not 6")
    return choices, questions

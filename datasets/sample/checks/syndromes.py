"""The Chinese files: syndromes, their aliases, formulas and patients' answers."""

import re
from collections import Counter

from .reading import expect, read_rows, read_table
from .words import is_language

KEYS = ["id", "text", "question", "label", "labels", "specialty", "ten_questions", "tongue",
        "pulse", "distractors", "source", "language"]
FORMULA_KEYS = ["id", "department", "disease", "location", "nature", "syndrome", "method",
                "formula", "herbs", "indications", "decoy", "decoy_of", "source", "language"]
ANSWER_KEYS = ["id", "case", "chief_complaint", "answers", "source", "language"]
SLOTS = ["寒热", "汗", "头身", "二便", "饮食", "胸腹", "耳目", "口渴", "睡眠", "旧病", "诱因",
         "用药", "经带", "小儿"]
DEPARTMENTS = {"内科", "妇科", "儿科", "外科"}
SIZES = [8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 1]


def stem(label):
    """Return a label without the ending that does not distinguish it."""
    return re.sub(r"证型$|[证型]$", "", label)


def check_syndromes():
    file, alias_file = "syndromes.jsonl", "syndrome-aliases.tsv"
    rows = read_rows(file, KEYS, "syndrome", "sample-syndromes")
    labels = rows[0][1]["labels"] if rows else []
    expect(len(set(labels)) == 12 == len(labels), file, 1, "labels are not twelve different ones")
    expect({"湿热下注证", "脾肾阳虚证"} <= set(labels), file, 1, "a required label is missing")
    aliases = {}
    for number, (alias, canonical) in read_table(alias_file, ["alias", "canonical"]):
        expect(canonical in labels, alias_file, number, f"{canonical} is not a label")
        expect(alias not in labels, alias_file, number, f"{alias} is itself a label")
        expect(alias not in aliases, alias_file, number, f"{alias} occurs twice")
        aliases[alias] = canonical
    for label in labels:
        count = list(aliases.values()).count(label)
        expect(2 <= count <= 4, alias_file, 0, f"{label} has {count} aliases, not 2-4")
    for number, row in rows:
        size = len(row["text"])
        expect(150 <= size <= 420, file, number, f"text has {size} characters, not 150-420")
        expect(is_language(row["text"], row["language"]), file, number, "is not Chinese")
        expect(row["labels"] == labels, file, number, "labels differ from line 1")
        expect(row["label"] in labels, file, number, f"{row['label']} is not one of the labels")
        expect(row["specialty"] in DEPARTMENTS, file, number, "unknown department")
        for name in [*labels, *aliases]:
            expect(stem(name) not in row["text"] + row["question"], file, number,
                   f"text gives away {stem(name)}")
        expect(list(row["ten_questions"]) == SLOTS, file, number, "slots are not the ten questions")
        quoted = [quote for quote in row["ten_questions"].values() if quote]
        for quote in [*quoted, *row["distractors"], row["tongue"], row["pulse"]]:
            expect(quote in row["text"], file, number, f"is not in the text: {quote}")
    sizes = sorted(Counter(row["label"] for _, row in rows).values(), reverse=True)
    expect(sizes == SIZES, file, 0, f"label sizes are {sizes}, not {SIZES}")
    distracted = sum(bool(row["distractors"]) for _, row in rows)
    expect(distracted >= 30, file, 0, f"{distracted} rows with distractors, not 30")
    return rows, len(aliases)


def check_formulas(labels):
    file = "formulas.jsonl"
    rows = read_rows(file, FORMULA_KEYS, "formula", "sample-formulas")
    expect(len({row["formula"] for _, row in rows}) == 60 == len(rows), file, 0,
           "not sixty different formulas")
    departments = Counter(row["department"] for _, row in rows)
    expect(departments == dict.fromkeys(DEPARTMENTS, 15), file, 0,
           f"departments are {dict(departments)}, not 15 each")
    for number, row in rows:
        expect(is_language(row["indications"], row["language"]), file, number, "is not Chinese")
        expect(row["herbs"] and all(herb["grams"] > 0 for herb in row["herbs"]), file, number,
               "a herb has no dose")
        expect(row["decoy"] == (row["decoy_of"] in labels), file, number,
               "decoy and decoy_of disagree")
        expect(row["syndrome"] != row["decoy_of"], file, number, "is a decoy of its own syndrome")
    decoys = sum(row["decoy"] for _, row in rows)
    expect(decoys == 15, file, 0, f"{decoys} decoys, not 15")
    treated = {row["syndrome"] for _, row in rows if not row["decoy"]}
    for label in labels:
        expect(label in treated, file, 0, f"{label} has no formula")
    return rows


def check_answers(syndromes):
    file = "consultation-answers.jsonl"
    rows = read_rows(file, ANSWER_KEYS, "consult", "sample-jingfang")
    cases = {row["id"]: row for _, row in syndromes}
    covered = set()
    for number, row in rows:
        case = cases.get(row["case"])
        if not expect(case is not None, file, number, f"there is no case {row['case']}"):
            continue
        covered.add(case["label"])
        asked = {slot for slot, quote in case["ten_questions"].items() if quote}
        expect(set(row["answers"]) == asked, file, number,
               f"answers {sorted(set(row['answers']) ^ asked)} do not match the case")
    expect(len(covered) == 12 == len(rows), file, 0, "not one patient for each syndrome")
    return rows

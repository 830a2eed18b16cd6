"""Composite queries, single-intent sentences and the stores that answers draw on."""

from collections import Counter

from .reading import expect, read_rows
from .vignettes import PREVALENCES, SPECIALTIES
from .words import is_language

STAGES = {
    "pre-diagnosis": ["symptom_triage", "department_suggestion", "risk_assessment",
                      "health_inquiry"],
    "diagnosis": ["symptom_analysis", "etiology_detection", "test_interpretation",
                  "treatment_suggestion", "prevention_guideline", "second_opinion"],
    "medicament": ["drug_counselling", "dosage_recommendation", "drug_interaction",
                   "contraindication_check"],
    "post-diagnosis": ["rehabilitation_advice", "progress_tracking", "care_support"],
}
INTENTS = [intent for intents in STAGES.values() for intent in intents]
QUERY_KEYS = ["id", "stage", "query", "intents", "reference", "specialty", "prevalence", "source",
              "language"]
SENTENCE_KEYS = ["id", "text", "intent", "split", "source", "language"]
GUIDELINE_KEYS = ["id", "title", "text", "topics", "stage", "source", "language", "serves"]
RECORD_KEYS = ["id", "department", "complaint", "history", "examination", "tests", "diagnosis",
               "treatment", "outcome", "source", "language"]
DRUG_KEYS = ["id", "name", "class", "uses", "dosage", "contraindications", "interactions",
             "adverse_effects", "timing", "source", "language", "tested_by"]


def check_queries():
    file = "queries.jsonl"
    rows = read_rows(file, QUERY_KEYS, "query", "sample-queries")
    stages = Counter(row["stage"] for _, row in rows)
    expect(stages == dict.fromkeys(STAGES, 20), file, 0, f"stages are {dict(stages)}, not 20 each")
    for number, row in rows:
        intents = row["intents"]
        expect(2 <= len(set(intents)) == len(intents) <= 3, file, number, "not 2-3 intents")
        expect(set(intents) <= set(INTENTS), file, number, "unknown intent")
        expect(intents[0] in STAGES[row["stage"]], file, number, "main intent is of another stage")
        words = len(row["query"].split())
        expect(40 <= words <= 110, file, number, f"query has {words} words, not 40-110")
        words = len(row["reference"].split())
        expect(80 <= words <= 150, file, number, f"reference has {words} words, not 80-150")
        expect(row["specialty"] in SPECIALTIES, file, number, "unknown specialty")
        expect(row["prevalence"] in PREVALENCES, file, number, "unknown prevalence")
        expect(is_language(row["query"], row["language"]), file, number, "is not English")
    counts = Counter(intent for _, row in rows for intent in row["intents"])
    for intent in INTENTS:
        expect(counts[intent] >= 6, file, 0, f"{intent} occurs {counts[intent]} times, not 6")
    return rows


def check_sentences():
    file = "intent-sentences.jsonl"
    rows = read_rows(file, SENTENCE_KEYS, "sentence", "sample-intent-sentences")
    cells = Counter((row["intent"], row["split"]) for _, row in rows)
    wanted = {(intent, split): count for intent in INTENTS
              for split, count in (("train", 8), ("validation", 1), ("test", 1))}
    expect(cells == wanted, file, 0, "not 8 train, 1 validation and 1 test sentence per intent")
    return rows


def check_stores(queries):
    known = {row["id"] for _, row in queries}
    guidelines = read_rows("guidelines.jsonl", GUIDELINE_KEYS, "guideline", "sample-guidelines")
    records = read_rows("records.jsonl", RECORD_KEYS, "record", "sample-records")
    drugs = read_rows("drugs.jsonl", DRUG_KEYS, "drug", "sample-drugs")
    for file, rows, size in (("guidelines.jsonl", guidelines, 40), ("records.jsonl", records, 30),
                             ("drugs.jsonl", drugs, 40)):
        expect(len(rows) == size, file, 0, f"{len(rows)} rows, not {size}")
    for number, row in guidelines:
        expect(set(row["serves"]) <= known, "guidelines.jsonl", number, "serves an unknown query")
    useful = sum(bool(row["serves"]) for _, row in guidelines)
    expect(useful >= 30, "guidelines.jsonl", 0, f"{useful} guidelines serve a query, not 30")

    names = {row["name"] for _, row in drugs}
    pairs = {(row["name"], other["with"]) for _, row in drugs for other in row["interactions"]
             if other["with"] in names}
    for one, other in sorted(pairs):
        expect((other, one) in pairs, "drugs.jsonl", 0, f"{other} does not name {one}")
    expect(len(pairs) == 20, "drugs.jsonl", 0, f"{len(pairs) // 2} interactions in the set, not 10")
    for number, row in drugs:
        expect(set(row["tested_by"]) <= known, "drugs.jsonl", number, "unknown query")
    tested = sum(bool(row["tested_by"]) for _, row in drugs)
    expect(tested == 10, "drugs.jsonl", 0, f"{tested} drugs with a tested contraindication, not 10")
    return guidelines, records, drugs

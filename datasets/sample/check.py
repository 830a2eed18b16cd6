#!/usr/bin/env python3
"""Check the sample set against its card and its own rules; exit 1 with file and line on failure.

Python 3.11 or newer, standard library only.
"""

import sys

from checks import card, choices, consultations, queries, syndromes, vignettes
from checks.reading import FAILURES
from checks.words import check_repetition


def texts_of(file, rows, *keys):
    """Yield every text of these columns for the search for repetition; a list is one text."""
    for number, row in rows:
        design = row.get("design") or {}
        # Twins and repeats are the same text on purpose.
        twin = design.get("counterfactual", {}).get("pair", row["id"])
        group = design.get("repeats", min(row["id"], twin))
        for key in keys:
            text = row[key] if isinstance(row[key], str) else " . ".join(row[key])
            yield file, number, group, row["language"], text


def turns_of(rows):
    """Yield what is said in consultations."""
    for number, row in rows:
        group = row["design"].get("repeats", row["id"])
        for side in ("left", "right"):
            for text in consultations.spoken(row[side]):
                yield "consultations.jsonl", number, group, row["language"], text


def main():
    cases = vignettes.check_vignettes()
    aliases = vignettes.check_aliases(cases)
    phenotypes = vignettes.check_phenotypes(cases)
    choice, question = choices.check_both()
    chinese, chinese_aliases = syndromes.check_syndromes()
    formulas = syndromes.check_formulas(chinese[0][1]["labels"] if chinese else [])
    answers = syndromes.check_answers(chinese)
    composite = queries.check_queries()
    sentences = queries.check_sentences()
    guidelines, records, drugs = queries.check_stores(composite)
    pairs = consultations.check_consultations()
    votes = consultations.check_votes()
    check_repetition([
        *texts_of("vignettes.jsonl", cases, "text", "reference"),
        *texts_of("choice.jsonl", choice, "question"),
        *texts_of("questions.jsonl", question, "question", "context"),
        *texts_of("queries.jsonl", composite, "query", "reference"),
        *texts_of("intent-sentences.jsonl", sentences, "text"),
        *texts_of("guidelines.jsonl", guidelines, "text"),
        *texts_of("records.jsonl", records, "history", "examination", "tests", "treatment",
                  "outcome"),
        *texts_of("drugs.jsonl", drugs, "dosage", "timing"),
        *texts_of("consultations.jsonl", pairs, "case"),
        *turns_of(pairs),
        *texts_of("syndromes.jsonl", chinese, "text"),
        *texts_of("formulas.jsonl", formulas, "indications"),
    ])
    card.check_card({
        "vignettes.jsonl": (len(cases), vignettes.KEYS),
        "vignette-aliases.tsv": (aliases, None),
        "choice.jsonl": (len(choice), choices.CHOICE_KEYS),
        "questions.jsonl": (len(question), choices.QUESTION_KEYS),
        "queries.jsonl": (len(composite), queries.QUERY_KEYS),
        "intent-sentences.jsonl": (len(sentences), None),
        "guidelines.jsonl": (len(guidelines), None),
        "records.jsonl": (len(records), None),
        "drugs.jsonl": (len(drugs), None),
        "syndromes.jsonl": (len(chinese), syndromes.KEYS),
        "syndrome-aliases.tsv": (chinese_aliases, None),
        "formulas.jsonl": (len(formulas), None),
        "consultation-answers.jsonl": (len(answers), None),
        "phenotypes.jsonl": (phenotypes, None),
        "consultations.jsonl": (len(pairs), None),
        "votes.jsonl": (len(votes), None),
    })
    if FAILURES:
        print("\n".join(FAILURES), file=sys.stderr)
        print(f"{len(FAILURES)} failures", file=sys.stderr)
        return 1
    print(f"sample set: {len(cases)} vignettes, {len(choice)} + {len(question)} questions, "
          f"{len(composite)} queries, {len(chinese)} syndromes, {len(formulas)} formulas, "
          f"{len(pairs)} consultations, {len(votes)} votes, {phenotypes} phenotype edges; "
          "all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""vignettes.jsonl, vignette-aliases.tsv and phenotypes.jsonl."""

from collections import Counter

from .reading import expect, read_rows, read_table
from .words import fold, is_language, leaks

KEYS = ["id", "text", "question", "gold", "synonyms", "specialty", "prevalence", "reference",
        "facts", "tags", "design", "source", "language"]
PHENOTYPE_KEYS = ["phenotype", "phenotype_synonyms", "disease", "source", "weight"]
SPECIALTIES = {
    "Cardiology", "Pulmonology", "Gastroenterology", "Neurology", "Endocrinology", "Nephrology",
    "Rheumatology", "Hematology", "Dermatology", "Infectious Disease", "Psychiatry", "Pediatrics",
    "Obstetrics and Gynecology", "Ophthalmology", "ENT", "Orthopaedics",
}
PREVALENCES = {"common", "uncommon", "rare"}
DOMAINS = {"demographics", "history", "symptom", "sign", "test", "medication", "exposure",
           "family"}
# Rows that carry each tag; a counterfactual pair is two rows.
TAGS = {"several-golds": 12, "ambiguous": 12, "anchoring-trap": 8, "specificity-ladder": 8,
        "counterfactual": 16, "must-not-miss": 8}


def check_design(file, number, row, others):
    """The tags' promises, as far as a program can see them."""
    text, design = row["text"], row["design"]
    expect(sorted(design) == sorted(row["tags"]), file, number, "design does not match the tags")
    if "several-golds" in design:
        expect(len(row["gold"]) >= 2, file, number, "one gold only")
    if "ambiguous" in design:
        fact, rivals = design["ambiguous"]["late_fact"], design["ambiguous"]["until_then"]
        expect(text.find(fact) > 0.5 * len(text), file, number, "late fact is not late")
        expect(len(rivals) >= 2, file, number, "no rival diagnosis")
        expect(row["gold"][0] in rivals, file, number, "gold is not among the rivals")
    if "anchoring-trap" in design:
        hint = design["anchoring-trap"]["hint"]
        expect(0 <= text.find(hint) < 0.4 * len(text), file, number, "hint is not early")
        expect(design["anchoring-trap"]["misleads_to"] not in row["gold"], file, number,
               "hint leads to the gold")
    if "specificity-ladder" in design:
        steps = [design["specificity-ladder"][step] for step in ("broader", "narrower")]
        names = {fold(name) for name in row["gold"] + row["synonyms"]}
        expect(not names & {fold(step) for step in steps}, file, number, "a step is the gold")
        for step in leaks(steps, text):
            expect(False, file, number, f"text gives away {step!r}")
    if "counterfactual" in design:
        twin = others.get(design["counterfactual"]["pair"])
        if expect(twin is not None, file, number, "the twin is missing"):
            expect(twin["design"].get("counterfactual", {}).get("pair") == row["id"], file, number,
                   "the twin names another")
            expect(twin["text"] != text, file, number, "the twin is the same text")
            for key in ("gold", "specialty", "prevalence"):
                expect(twin[key] == row[key], file, number, f"the twin has another {key}")
    if "must-not-miss" in design:
        expect(design["must-not-miss"]["harm"]["severity"] in (3, 4, 5), file, number,
               "harm has no severity from 3 to 5")


def check_vignettes():
    file = "vignettes.jsonl"
    rows = read_rows(file, KEYS, "vignette", "sample-vignettes")
    others = {row["id"]: row for _, row in rows}
    cells = Counter((row["specialty"], row["prevalence"]) for _, row in rows)
    expect(cells == {(s, p): 2 for s in SPECIALTIES for p in PREVALENCES}, file, 0,
           "not two vignettes for each specialty and prevalence")
    tags = Counter(tag for _, row in rows for tag in row["tags"])
    expect(tags == TAGS, file, 0, f"tags are {dict(tags)}, not {TAGS}")
    diagnoses = Counter(row["gold"][0] for _, row in rows
                        if row["design"].get("counterfactual", {}).get("pair", "~") > row["id"])
    expect(set(diagnoses.values()) == {1} and len(diagnoses) == 88, file, 0,
           f"{len(diagnoses)} diagnoses, not 88 different ones")
    for number, row in rows:
        size = len(row["text"])
        expect(900 <= size <= 2500, file, number, f"text has {size} characters, not 900-2500")
        words = len(row["reference"].split())
        expect(80 <= words <= 150, file, number, f"reference has {words} words, not 80-150")
        for key in ("text", "reference", "question"):
            expect(is_language(row[key], row["language"]), file, number, f"{key} is not English")
        names = row["gold"] + row["synonyms"]
        expect(row["gold"] and row["synonyms"] and all(isinstance(name, str) for name in names),
               file, number, "gold or synonyms are empty or not text")
        # American and British spellings are both names that a model may write.
        expect(len({name.casefold() for name in names}) == len(names), file, number,
               "gold and synonyms repeat a name")
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
        check_design(file, number, row, others)
    return rows


def check_aliases(vignettes):
    """Every alias of the table is a gold or synonym of the vignette it names, and all are there."""
    file = "vignette-aliases.tsv"
    wanted = set()
    for _, row in vignettes:
        preferred, *others = row["gold"]
        wanted |= {(name.lower(), preferred) for name in others + row["synonyms"]
                   if name.lower() != preferred.lower()}
    found = set()
    for number, (alias, canonical) in read_table(file, ["alias", "canonical"]):
        pair = (alias.lower(), canonical)
        expect(pair in wanted, file, number, f"{alias} names no vignette's diagnosis")
        expect(pair not in found, file, number, f"{alias} occurs twice")
        found.add(pair)
    expect(found == wanted, file, 0, f"{len(wanted - found)} synonyms are missing")
    names = Counter(alias for alias, _ in found)
    for alias, count in names.items():
        expect(count == 1, file, 0, f"{alias} means {count} diagnoses")
    return len(found)


def check_phenotypes(vignettes):
    """Every diagnosis has its edges and shares findings with others."""
    file = "phenotypes.jsonl"
    rows = read_rows(file, PHENOTYPE_KEYS)
    edges = Counter((row["phenotype"], row["disease"]) for _, row in rows)
    expect(max(edges.values(), default=0) == 1, file, 0, "an edge occurs twice")
    by_disease, by_phenotype = {}, {}
    for number, row in rows:
        expect(row["source"] == "sample-graph", file, number, "source is not sample-graph")
        expect(0 < row["weight"] <= 1, file, number, "weight is not in (0, 1]")
        expect(row["phenotype"] == row["phenotype"].strip() != "", file, number,
               "phenotype is empty or padded")
        by_disease.setdefault(row["disease"], set()).add(row["phenotype"])
        by_phenotype.setdefault(row["phenotype"], set()).add(row["disease"])
    diagnoses = {row["gold"][0] for _, row in vignettes}
    for disease in sorted(diagnoses):
        count = len(by_disease.get(disease, ()))
        expect(5 <= count <= 9, file, 0, f"{disease} has {count} findings, not 5-9")
        shared = any(len(by_phenotype[finding]) > 1 for finding in by_disease.get(disease, ()))
        expect(shared, file, 0, f"{disease} shares no finding with another disease")
    neighbours = set(by_disease) - diagnoses
    expect(len(neighbours) >= 40, file, 0, f"{len(neighbours)} neighbouring diseases, not 40")
    return len(rows)

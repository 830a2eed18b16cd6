"""What texts share and what they give away."""

import re
import unicodedata

from .reading import expect

WORDS = 6  # a shared sequence this long is a copied phrase
CHARACTERS = 10  # the same for Chinese

# What has no other wording: set questions, names of laboratory values, statistics.
STOP_LIST = (
    "what is the most likely diagnosis", "c reactive protein", "mean cell volume",
    "transferrin saturation", "free t4", "hazard ratio", "odds ratio", "risk ratio",
)
STOP_LIST_CHINESE = ("请判断该患者", "舌质红苔黄腻脉滑数", "舌淡苔白脉沉细")
UNITS = set("g mg µg ug ng pg mu u iu ml l dl mm cm mmhg mmol mol kg m h ci to of and per "
            "normal with the upper limit".split())
# Fewer words than this beside numbers, units and set phrases are a laboratory line, not prose.
OWN_WORDS = 3


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
    folded, lower, found = fold(text), text.casefold(), []
    for name in names:
        # A short abbreviation is a leak only as a word of its own.
        if len(name) <= 4 and name.isascii():
            hit = re.search(rf"\b{re.escape(name)}\b", text)
        else:
            hit = name.casefold() in lower or fold(name) in folded
        if hit:
            found.append(name)
    for short in filter(None, map(initials, names)):
        if re.search(rf"\b{re.escape(short)}\b", text):
            found.append(short)
    return found


def is_language(text, language):
    """Whether a text is in the script of its language."""
    chinese = len(re.findall(r"[\u3400-\u9fff]", text))
    latin = len(re.findall(r"[A-Za-z]", text))
    return chinese > 2 * latin if language == "zh" else chinese == 0 and latin > 0


def sequences(text, language):
    """Return the word sequences of a text; of Chinese, runs of characters."""
    if language == "zh":
        letters = re.sub(r"[^\u3400-\u9fff0-9A-Za-z]", "", text)
        return {letters[at:at + CHARACTERS] for at in range(len(letters) - CHARACTERS + 1)}
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", text.casefold()))
    return {" ".join(words[at:at + WORDS]) for at in range(len(words) - WORDS + 1)}


def is_stopped(sequence):
    """Whether a sequence is a set phrase or a laboratory line."""
    if any(phrase in sequence or sequence in phrase for phrase in STOP_LIST_CHINESE):
        return True
    rest = f" {sequence} "
    for phrase in STOP_LIST:
        rest = rest.replace(f" {phrase} ", " ")
    words = [word for word in rest.split() if word not in UNITS and not word.isdigit()]
    return sequence.isascii() and len(words) < OWN_WORDS


def check_repetition(texts):
    """Fail where two texts share a sequence.

    `texts` are (file, line, group, language, text); texts of one group may repeat each other,
    being the same text on purpose: the twins of a counterfactual pair, a repeated pair.
    """
    owner = {}
    for file, line, group, language, text in texts:
        for sequence in sorted(sequences(text, language)):
            if is_stopped(sequence):
                continue
            first = owner.setdefault(sequence, (file, line, group))
            if first[2] != group:
                expect(False, file, line,
                       f"shares {sequence!r} with {first[0]}:{first[1]}")

#!/usr/bin/env python3
"""Make the SYNTHETIC votes of the sample panel: consultations.jsonl -> votes.jsonl.

No person rated anything. Six scripted raters judge each of the 24 pairs on four dimensions, from
the merits that each pair's author noted under `design`, with the habits listed in RATERS:

* rater-1, rater-3 and rater-6 differ only in how carefully they read and how readily they call a
  tie;
* rater-2 leans to whatever is shown on the left, so the lean helps system-a where it is on the
  left and hurts it where it is on the right, and would turn round if the sides were swapped;
* rater-4 spends less than three seconds on a packet and answers nearly at random;
* rater-5 is harsh and answers "tie" often, always where both sides are unsafe ("both bad").

Of the votes, 8 % are missing completely at random. The file is the same after every run. At the
end three rules of consensus are applied to the votes and the script asserts that they disagree:
that is what the sample panel is there to show.
"""

import json
import random
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
SEED = 20260301
PANEL = "sample-panel"
DIMENSIONS = ("proactiveness", "accuracy", "practicality", "overall")
MISSING_SHARE = 0.08
AGREEMENT = 4  # votes of the six that settle a pair without an adjudicator
PACKETS_PER_SESSION = 8
FIRST_SESSION = datetime(2026, 3, 2, 17, 30, tzinfo=timezone.utc)

CLEAR_MERIT = 1.7
LENGTH_MERIT = 0.7  # the shorter side is better, but harder to see as such
LENGTH_HALO = 0.8  # what length adds to a side's apparent proactiveness and practicality
LEAK_HALO = 0.4  # what a side gains from being recognised
TASTE = 0.6  # spread of what all raters of a pair see alike and its author did not note


class Rater(NamedTuple):
    """How a scripted rater behaves; merits run from -2 (right better) to 2 (left better)."""

    attention: float  # weight of the merits
    noise: float  # standard deviation of what is added to them
    tie_below: float  # a smaller difference is called a tie
    left_lean: float  # added whatever the merits
    ties_unsafe: bool  # answers "tie" when both sides are unsafe
    seconds: tuple[float, float]  # range of the time to the first answer
    pause: tuple[float, float]  # range of the time between further answers


RATERS = {
    "rater-1": Rater(1.0, 0.4, 0.5, 0.0, False, (70, 190), (3, 14)),
    "rater-2": Rater(0.9, 0.4, 0.3, 0.9, False, (50, 150), (3, 12)),
    "rater-3": Rater(1.0, 0.6, 0.4, 0.0, False, (80, 240), (4, 18)),
    "rater-4": Rater(0.1, 1.2, 0.4, 0.0, False, (0.6, 1.5), (0.1, 0.45)),
    "rater-5": Rater(0.8, 0.4, 1.0, 0.0, True, (90, 260), (4, 16)),
    "rater-6": Rater(0.9, 0.5, 0.6, 0.0, False, (60, 170), (3, 12)),
}


def normal(rng, deviation):
    """Draw from an almost normal distribution, with no more than `random()`, which every version
    of Python repeats exactly for a given seed."""
    return deviation * (sum(rng.random() for _ in range(12)) - 6)


def between(rng, bounds):
    """Draw evenly from a range."""
    low, high = bounds
    return low + (high - low) * rng.random()


def shuffled(rng, items):
    """Return the items in random order."""
    return [item for _, _, item in sorted((rng.random(), n, item) for n, item in enumerate(items))]


def read_pairs():
    """Return the pairs, without the calibration pairs and the repeats."""
    lines = (FOLDER / "consultations.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["id"]: row for row in rows if row["id"].startswith("pair-")}


def sign(side):
    """Return 1 for the left side and -1 for the right."""
    return {"left": 1, "right": -1}[side]


def merits(pair, rng):
    """Return the merit of the left side over the right in each dimension, as all raters see it."""
    design, kind = pair["design"], pair["kind"]
    taste = normal(rng, TASTE if kind != "clear" else TASTE / 4)
    values = {dimension: taste + normal(rng, 0.15) for dimension in DIMENSIONS}
    for dimension in DIMENSIONS:
        if kind == "clear":
            values[dimension] += CLEAR_MERIT * sign(design["better"])
        elif kind == "length-confounded":
            values[dimension] += LENGTH_MERIT * sign(design["better"])
            if dimension in ("proactiveness", "practicality"):
                values[dimension] += LENGTH_HALO * sign(design["longer"])
        elif kind == "identity-leak":
            values[dimension] += LEAK_HALO * sign(design["side"])
    return values


def judge(rater, merit, unsafe, rng):
    """Return a rater's answer to one question about one pair."""
    seen = rater.attention * merit + rater.left_lean + normal(rng, rater.noise)
    if (unsafe and rater.ties_unsafe) or abs(seen) < rater.tie_below:
        return "tie"
    return "left" if seen > 0 else "right"


def rfc3339(moment):
    """Format a time in UTC, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make_votes(pairs):
    """Return the votes of all raters, each rater's in the order of his or her work."""
    rng = random.Random(SEED)
    truth = {name: merits(pair, rng) for name, pair in pairs.items()}
    votes = []
    for number, (reviewer, rater) in enumerate(RATERS.items()):
        for position, packet in enumerate(shuffled(rng, pairs)):
            session, place = divmod(position, PACKETS_PER_SESSION)
            if place == 0:
                clock = FIRST_SESSION + timedelta(
                    days=2 * session + number % 2, minutes=round(between(rng, (0, 150))))
            active = between(rng, rater.seconds)
            for dimension in DIMENSIONS:
                active_ms = round(1000 * active)
                votes.append({
                    "panel": PANEL,
                    "packet": packet,
                    "reviewer": reviewer,
                    "dimension": dimension,
                    "value": judge(rater, truth[packet][dimension],
                                   pairs[packet]["kind"] == "both-unsafe", rng),
                    "active_ms": active_ms,
                    "at": rfc3339(clock + timedelta(milliseconds=active_ms)),
                    "synthetic": True,
                })
                active += between(rng, rater.pause)
            clock += timedelta(seconds=active + between(rng, (2, 25)))
    missing = set(shuffled(rng, range(len(votes)))[:round(MISSING_SHARE * len(votes))])
    return [vote for number, vote in enumerate(votes) if number not in missing]


def by_system(pair, value):
    """Translate an answer about sides into one about systems."""
    return value if value == "tie" else pair[value]["system"]


def majority(counts):
    """The commonest answer, "tie" being one of three; a draw between answers is a tie."""
    (first, most), *rest = counts.most_common()
    return "tie" if rest and rest[0][1] == most else first


def proportion(counts):
    """The system with more than half of the votes, where a tie is half a vote for each."""
    share = score(counts)
    return "tie" if share == 0.5 else "system-a" if share > 0.5 else "system-b"


def agreed(counts):
    """The answer of at least AGREEMENT raters; without it, the pair goes to an adjudicator."""
    (first, most), *_ = counts.most_common()
    return first if most >= AGREEMENT else "adjudicate"


def score(counts):
    """System-a's share of the answers, a tie being half; answers left open do not count."""
    settled = sum(counts[answer] for answer in ("system-a", "tie", "system-b"))
    return (counts["system-a"] + counts["tie"] / 2) / settled


def consensus(pairs, votes, dimension):
    """Return each pair's verdict by rule, and system-a's win rate by rule."""
    tallies = {name: Counter() for name in pairs}
    for vote in votes:
        if vote["dimension"] == dimension:
            tallies[vote["packet"]][by_system(pairs[vote["packet"]], vote["value"])] += 1
    verdicts = {
        rule.__name__: {name: rule(counts) for name, counts in tallies.items()}
        for rule in (majority, proportion, agreed)
    }
    rates = {rule: score(Counter(answers.values())) for rule, answers in verdicts.items()}
    rates["proportion"] = score(sum(tallies.values(), Counter()))  # every vote counts, not pairs
    return verdicts, rates


def check_raters(votes):
    """Assert that the habits of the raters can be seen in the votes."""
    shares = {name: Counter() for name in RATERS}
    for vote in votes:
        shares[vote["reviewer"]][vote["value"]] += 1
    for name, counts in shares.items():
        total = sum(counts.values())
        print(f"  {name}: {total} votes, " + ", ".join(
            f"{value} {counts[value] / total:.0%}" for value in ("left", "tie", "right")))

    def most(value):
        return max(shares, key=lambda name: shares[name][value] / sum(shares[name].values()))

    assert most("left") == "rater-2", "rater-2 does not lean to the left"
    assert most("tie") == "rater-5", "rater-5 is not the harshest"
    for vote in votes:
        fast = vote["active_ms"] < 3000
        assert fast == (vote["reviewer"] == "rater-4"), f"unexpected active_ms in {vote}"


def check_consensus(pairs, votes):
    """Assert that the three rules disagree on pairs and on the win rate of `overall`."""
    verdicts, rates = consensus(pairs, votes, "overall")
    for rule, answers in verdicts.items():
        counts = Counter(answers.values())
        print(f"  {rule}: win rate of system-a {rates[rule]:.3f}; pairs: " + ", ".join(
            f"{answer} {counts[answer]}" for answer in sorted(counts)))
    disputed = [name for name in pairs if len({rule[name] for rule in verdicts.values()}) > 1]
    print(f"  the rules differ on {len(disputed)} pairs: {', '.join(disputed)}")
    rules = list(verdicts)
    for n, one in enumerate(rules):
        for other in rules[n + 1:]:
            assert verdicts[one] != verdicts[other], f"{one} and {other} agree on every pair"
            assert round(rates[one], 3) != round(rates[other], 3), (
                f"{one} and {other} give the same win rate")


def main():
    pairs = read_pairs()
    votes = make_votes(pairs)
    assert len(pairs) == 24, f"{len(pairs)} pairs instead of 24"
    lines = [json.dumps(vote, ensure_ascii=False) + "\n" for vote in votes]
    (FOLDER / "votes.jsonl").write_bytes("".join(lines).encode("utf-8"))
    full = len(pairs) * len(RATERS) * len(DIMENSIONS)
    print(f"votes.jsonl: {len(votes)} SYNTHETIC votes, {full - len(votes)} of {full} missing")
    print("raters:")
    check_raters(votes)
    print("overall:")
    check_consensus(pairs, votes)


if __name__ == "__main__":
    main()

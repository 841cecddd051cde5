"""`python -m benchmarks.fit_context`: choose the weights of semurg/queries/evidence.py and answering.py on open data.

Stores the open retrieval data in a memory of its own, takes of every question the features of the passages that are
scored, and fits them by listwise logistic regression (the share of the evidence under a softmax over the question's
passages), leaving out one conversation in turn to say how well it would do on another. The contrast between the
speakers is fitted by logistic regression on whether the question asks what never happened.
"""

from __future__ import annotations

import tempfile
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import semurg
from benchmarks.context_quality import SETS, by_conversation, calls, records
from semurg.embedded import Memory
from semurg.queries.context_finding import Finding
from semurg.queries.context_plan import Meaning, plan
from semurg.queries.evidence import FEATURES
from semurg.queries.instants import read_at
from semurg.queries.requests import context_request

STEPS, RATE, RIDGE = 600, 0.05, 1e-3
NO_MEANING = [FEATURES.index("meaning"), FEATURES.index("meaning_in_context")]
OWN, OTHER = FEATURES.index("said_by_asked"), FEATURES.index("said_by_other")
AT = (5, 10, 20)
MUSIQUE_WEIGHT = 4.0

Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One question: its set and scope, its passages' features, which are evidence, how much evidence there is."""

    group: str
    features: Floats
    is_evidence: NDArray[np.bool_]
    evidence: int
    adversarial: bool
    asked: bool
    tells: float


def cases(memory: Memory, with_meaning: bool) -> list[Case]:
    """The features of every question of the open data, as the running code makes them."""
    node: Any = memory.node
    found = []
    for folder in SETS.values():
        for question in records(folder / "questions.jsonl"):
            scope = node._projector.scope("", question["conv"])
            request = context_request({"query": question["question"]}, 0)
            at = read_at(request.instants, node._clock(), node._projector.published_at, scope.reads)
            planned = plan(scope, request, at)
            vector = node._embedding._model.embed_query(planned.to_embed) if with_meaning else None
            scored = Finding(scope, request, planned, Meaning(vector, "ran", None, 0.0, ""), at).scored()
            keys = [scope.reads.passage(int(passage)).key for passage in scored.passages]
            evidence = np.array([key in question["evidence"] for key in keys], dtype=np.bool_)
            found.append(
                Case(
                    question["conv"], scored.features.astype(np.float64), evidence, len(question["evidence"]),
                    question["category"] == "adversarial", planned.asked >= 0, sum(planned.rarity) or 1.0,
                )
            )  # fmt: skip
    return found


def fitted(train: list[Case], columns: list[int]) -> Floats:
    """Weights of the features (0 where left out), by gradient steps (Adam) on the listwise loss."""
    usable = [case for case in train if case.is_evidence.any() and not case.adversarial]
    rows = np.concatenate([case.features[:, columns] for case in usable])
    scale = rows.std(axis=0) + 1e-9
    rows = rows / scale
    sizes = np.array([len(case.features) for case in usable])
    firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    importance = np.repeat([MUSIQUE_WEIGHT if case.group == "musique" else 1.0 for case in usable], sizes)
    evidence = np.concatenate([case.is_evidence / case.is_evidence.sum() for case in usable])
    weights, first, second = np.zeros(len(columns)), np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(1, STEPS + 1):
        sums = rows @ weights
        shares = np.exp(sums - np.repeat(np.maximum.reduceat(sums, firsts), sizes))
        shares /= np.repeat(np.add.reduceat(shares, firsts), sizes)
        slope = 2 * RIDGE * weights - (importance * (evidence - shares)) @ rows / len(usable)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    whole = np.zeros(len(FEATURES))
    whole[columns] = weights / scale
    return whole


def recall(tested: list[Case], weights: Floats) -> list[float]:
    """Recall of the evidence at 5, 10 and 20, in per cent, before the walk."""
    shares: dict[int, list[float]] = {most: [] for most in AT}
    for case in tested:
        if case.adversarial or not case.evidence:
            continue
        order = np.argsort(-(case.features @ weights), kind="stable")
        for most in AT:
            shares[most].append(float(case.is_evidence[order[:most]].sum()) / case.evidence)
    return [round(100 * float(np.mean(shares[most])), 1) for most in AT]


def contrast(tested: list[Case], weights: Floats) -> None:
    """Fit and print the weights of answering.contrast."""
    spoken_for = weights.copy()
    spoken_for[[OWN, OTHER]] = 0
    rows, never = [], []
    for case in tested:
        if case.group == "musique" or not len(case.features):
            continue
        own = case.features[:, OWN] > 0 if case.asked else np.ones(len(case.features), dtype=np.bool_)
        others = case.features[:, OTHER] > 0
        columns = (
            case.features @ spoken_for,
            case.features[:, 3],
            case.features[:, 10],
            case.features[:, 0] / case.tells,
        )
        rows.append([column[side].max() if side.any() else 0.0 for column in columns for side in (own, others)])
        never.append(case.adversarial)
    inputs, wanted = np.array(rows), np.array(never, dtype=np.float64)
    weights_of, base = np.zeros(inputs.shape[1]), 0.0
    for _ in range(50):  # Newton's method
        chance = 1 / (1 + np.exp(-(inputs @ weights_of + base)))
        with_base = np.column_stack([inputs, np.ones(len(inputs))])
        ridge = np.eye(inputs.shape[1] + 1)
        ridge[-1, -1] = 0
        slope = with_base.T @ (chance - wanted) + ridge @ np.append(weights_of, 0)
        curve = with_base.T @ (with_base * (chance * (1 - chance))[:, None]) + ridge
        step = np.linalg.solve(curve, slope)
        weights_of, base = weights_of - step[:-1], base - step[-1]
    rounded = np.round(weights_of, 2)
    sums = inputs @ rounded
    limit = float(np.quantile(sums[wanted == 0], 0.9))
    share = 100 * float((sums[wanted == 1] > limit).mean())
    print(f"contrast {tuple(rounded.tolist())}, at most {limit:.2f}: {share:.0f}% said no")


def main() -> None:
    """Fit both sets of weights and print them."""
    with tempfile.TemporaryDirectory(prefix="semurg-fit-") as root, semurg.open(root) as memory:
        for folder in SETS.values():
            for scope, turns in by_conversation(records(folder / "turns.jsonl")).items():
                for call in calls(turns, False):
                    memory.remember(scope=scope, **call)
        while memory.memory_status()["meaning"]["waiting"] or memory.memory_status()["meaning"]["state"] != "armed":
            time.sleep(0.5)
        for with_meaning in (True, False):
            every = cases(memory, with_meaning)
            columns = [place for place in range(len(FEATURES)) if with_meaning or place not in NO_MEANING]
            groups = sorted({case.group for case in every})
            for group in groups:
                left_out = [case for case in every if case.group == group]
                weights = fitted([case for case in every if case.group != group], columns)
                print(f"without {group}: {recall(left_out, weights)} on it")
            weights = fitted(every, columns)
            print("WITH_MEANING" if with_meaning else "WITHOUT_MEANING", tuple(np.round(weights, 3).tolist()))
            if with_meaning:
                contrast(every, weights)


if __name__ == "__main__":
    main()

"""What a question names: each name in its place, by the first stage that fits, and nothing that it does not name."""

from __future__ import annotations

import pytest

from semurg.domain import events
from semurg.domain.limits import SEEDS_MAX
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.queries import context_seeds
from semurg.queries.context_seeds import ContextSeeds, seeds_of_question
from tests.queries.scopes import NOW, Scope

PEOPLE = (
    "Dana", "Priya Raman", "Will", "May", "Apple", "Capital One", "Zoë Müller", "New York Times", "New York",
    r"C:\tools\run.py", 'O\'Rook "Q" & Sons', "50% *off* (x)", "a/b | c", "东京大学", "東京", "IT", "Rose", "Acme Labs",
    "The Who", "Bo", "Jürgen",
)  # fmt: skip


@pytest.fixture(scope="module")
def scope() -> Scope:
    made = Scope()
    for name in PEOPLE:
        made.entity(name)
    for name, type_ in (("Acme Labs", "Company"), ("Globex", "COMPANY"), ("Dana", "Person"), ("Ana", "ResearchGroup")):
        made.entity(name, type_)
    made.entity("Tor", "Stadt")
    made.entity("Loire", "Château")
    return made


def asked(scope: Scope, query: str) -> ContextSeeds:
    return seeds_of_question(scope.projection.reads, query, At(scope.recorded_at, NOW))


def named(scope: Scope, query: str) -> list[tuple[str, str, str]]:
    """(entity, stage, the words of the question) of each seed, in order."""
    return [
        (scope.name_of(seed.entity), seed.stage, query[seed.start : seed.end]) for seed in asked(scope, query).seeds
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where does Dana work?", [("Dana", "exact", "Dana")]),
        ("where does dana work", [("Dana", "exact", "dana")]),
        ("WHERE DOES DANA WORK", [("Dana", "exact", "DANA")]),
        ("What is Dana's role?", [("Dana", "exact", "Dana")]),
        ("What is Dana\u2019s role?", [("Dana", "exact", "Dana")]),
        ("Is Priya Raman at Dana's?", [("Priya Raman", "exact", "Priya Raman"), ("Dana", "exact", "Dana")]),
        ("who reads the New York Times", [("New York Times", "exact", "New York Times")]),
        ("who lives in New York", [("New York", "exact", "New York")]),
        (r"what does C:\tools\run.py do", [(r"C:\tools\run.py", "exact", r"C:\tools\run.py")]),
        ('who owns O\'Rook "Q" & Sons?', [('O\'Rook "Q" & Sons', "exact", 'O\'Rook "Q" & Sons')]),
        ("when was 50% *off* (x) on?", [("50% *off* (x)", "exact", "50% *off* (x)")]),
        ("is a/b | c done", [("a/b | c", "exact", "a/b | c")]),
        ("谁在东京大学学习？", [("东京大学", "exact", "东京大学")]),
        ("東京に行った", [("東京", "exact", "東京")]),
        # accents and misspellings
        ("where is Zoe Muller", [("Zoë Müller", "spelling", "Zoe Muller")]),
        ("Where is Priya Ramen now?", [("Priya Raman", "spelling", "Priya Ramen")]),
        ("where is priya ramen now", [("Priya Raman", "spelling", "priya ramen")]),
        ("where is jurgen", [("Jürgen", "spelling", "jurgen")]),
        ("where is Dnaa", [("Dana", "spelling", "Dnaa")]),
        ("where is Dan", [("Dana", "spelling", "Dan")]),
        # one word of a longer name, the start of one
        ("where is Priya", [("Priya Raman", "word", "Priya")]),
        ("where is Pri", [("Priya Raman", "start", "Pri")]),
        ("where is Pr", []),
        ("where is Tha", []),
        ("What is Dana's rose?", [("Dana", "exact", "Dana"), ("Rose", "exact", "rose")]),
        ("What is Dana's role?", [("Dana", "exact", "Dana")]),
        # the Capital One trap: the word is one of a longer name, no more
        ("What is the capital of France?", [("Capital One", "word", "capital")]),
        # ordinary words that are names
        ("Who will come to Acme Labs?", [("Acme Labs", "exact", "Acme Labs")]),
        ("who will come", []),
        ("WHO WILL COME", []),
        ("Where does Will work?", [("Will", "exact", "Will")]),
        ("Will you come?", []),
        ("May I come in?", []),
        ("Did May call?", [("May", "exact", "May")]),
        ("may i come in", []),
        ("What is Will's job?", [("Will", "exact", "Will")]),
        ("will", [("Will", "exact", "will")]),
        ("Will?", [("Will", "exact", "Will")]),
        ("Ask the lawyers. Will you?", []),
        ("what does IT do", [("IT", "exact", "IT")]),
        ("Is it done?", []),
        ("what is it", []),
        ("it's late", []),
        ("who saw The Who play", [("The Who", "exact", "The Who")]),
        ("where", []),
        ("the and of", []),
        ("", []),
        ("?!… --- ***", []),
    ],
)  # fmt: skip
def test_a_question_names(scope: Scope, query: str, expected: list[tuple[str, str, str]]) -> None:
    assert named(scope, query) == expected


@pytest.mark.parametrize(
    ("query", "entity", "evidence", "weight"),
    [
        ("Where does Will work?", "Will", "capital", 1.0),
        ("Will Apple win in court?", "Will", "first_word", 0.2),
        ("Will works where?", "Will", "first_word", 0.6),
        ("Who ate the apple, Dana?", "Apple", "lower_case", 0.7),
        ("Who ate the apple?", "Apple", "", 1.0),
        ("who ate the apple", "Apple", "", 1.0),
        ("Has Dana seen a rose?", "Rose", "lower_case", 0.5),
        ("Dana", "Dana", "whole_question", 1.0),
    ],
)
def test_how_a_name_is_written_is_weighed_and_said(
    scope: Scope, query: str, entity: str, evidence: str, weight: float
) -> None:
    seed = next(seed for seed in asked(scope, query).seeds if scope.name_of(seed.entity) == entity)
    assert (seed.evidence, seed.weight) == (evidence, weight)


@pytest.mark.parametrize(
    ("query", "type_", "members", "words"),
    [
        ("Which companies do we know?", "Company", ["Acme Labs", "Globex"], "companies"),
        ("which company", "Company", ["Acme Labs", "Globex"], "company"),
        ("COMPANIES", "Company", ["Acme Labs", "Globex"], "COMPANIES"),
        ("all people here", "Person", ["Dana"], "people"),
        ("every person", "Person", ["Dana"], "person"),
        ("our research groups", "ResearchGroup", ["Ana"], "research groups"),
        ("which researchgroup", None, [], ""),
        ("welche Städte", "Stadt", ["Tor"], "Städte"),
        ("quels châteaux", "Château", ["Loire"], "châteaux"),
        ("who has company?", "Company", ["Acme Labs", "Globex"], "company"),
        ("a compan", None, [], ""),
    ],
)
def test_a_question_names_types(scope: Scope, query: str, type_: str | None, members: list[str], words: str) -> None:
    found = asked(scope, query).types
    if type_ is None:
        assert found == []
        return
    assert [(one.type, [scope.name_of(member) for member in one.members]) for one in found] == [(type_, members)]
    assert query[found[0].start : found[0].end] == words


def test_equally_close_names_are_all_seeds_and_share_the_weight() -> None:
    scope = Scope()
    for name in ("Mara Vale", "Mara Lund", "Mora", "Mira"):
        scope.entity(name)
    assert [name for name, _, _ in named(scope, "call Mxra")] == ["Mora", "Mira"]
    found = asked(scope, "what of Mara now").seeds
    # a close spelling and the longer names that have the word as it stands, each sharing what its stage is worth
    assert [(scope.name_of(seed.entity), seed.stage, seed.weight) for seed in found] == [
        ("Mora", "spelling", 0.4),
        ("Mira", "spelling", 0.4),
        ("Mara Vale", "word", 0.3),
        ("Mara Lund", "word", 0.3),
    ]


def test_a_name_without_its_accents_leaves_out_longer_names() -> None:
    scope = Scope()
    scope.entity("Zoë")
    scope.entity("Zoe Lind")
    assert named(scope, "who is zoe?") == [("Zoë", "spelling", "zoe")]


def test_a_word_that_texts_use_is_no_misspelling_unless_written_like_a_name() -> None:
    scope = Scope()
    scope.entity("Horse")
    scope.entity("Carla")
    reads, at = scope.projection.reads, At(scope.recorded_at, NOW)

    def found(query: str) -> list[str]:
        return [
            scope.name_of(seed.entity)
            for seed in seeds_of_question(reads, query, at, lambda word: word in ("house", "car")).seeds
        ]

    assert found("the house and the car") == []
    assert found("the hoarse car") == ["Horse"]
    assert found("who saw House") == ["Horse"]


def test_everything_is_read_at_the_instant_asked() -> None:
    scope = Scope()
    scope.entity("Dana", "Person")
    early = scope.recorded_at
    scope.entity("Dana Lund", "Company")
    scope.entity("Pia", "persons")
    scope.entity("Dana", "Boss")
    then = At(early, NOW)
    reads = scope.projection.reads
    assert [seed.stage for seed in seeds_of_question(reads, "Dana Lund", then).seeds] == ["exact"]
    assert seeds_of_question(reads, "companies and bosses", then).types == []
    assert seeds_of_question(reads, "Lund", then).seeds == []
    assert seeds_of_question(reads, "Pia", then).seeds == []
    now = At(scope.recorded_at, NOW)
    assert [one.type for one in seeds_of_question(reads, "companies and bosses", now).types] == ["Company", "Boss"]
    assert [one.type for one in seeds_of_question(reads, "persons", then).types] == ["Person"]


def test_nothing_of_a_forgotten_name_or_its_types_is_found() -> None:
    scope = Scope()
    gone = scope.entity("Sable Quince", "Alchemist")
    scope.entity("Dana", "Person")
    before = At(scope.recorded_at, NOW)
    scope.commit(events.EntityForgotten("h", gone, facts=[], passages=[], documents=[]))
    reads = scope.projection.reads
    for at in (before, At(scope.recorded_at, NOW)):
        for query in ("Sable Quince", "sable", "Sab", "Sable Quinse", "alchemists"):
            found = seeds_of_question(reads, query, at)
            assert (found.seeds, found.types) == ([], [])
    scope.entity("Ursel", "alchemist")
    assert [one.type for one in asked(scope, "Alchemists").types] == ["alchemist"]


class Counting:
    """Reads that count the look-ups which read every name."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self.scans = self.lookups = 0

    def find_spelling(self, key: str, at: At) -> list[int]:
        self.scans += 1
        return self._reads.find_spelling(key, at)

    def find_start(self, key: str, at: At, most: int) -> list[int]:
        self.scans += 1
        return self._reads.find_start(key, at, most)

    def find_word(self, word: str, at: At) -> list[int]:
        self.lookups += 1
        return self._reads.find_word(word, at)

    def __getattr__(self, name: str) -> object:
        return getattr(self._reads, name)


@pytest.mark.parametrize(
    ("query", "lookups"),
    [
        ("zq " * 2_730, 1),
        ("?!*" * 2_730, 0),
        (" ".join(f"w{number}x" for number in range(1_500)), context_seeds.WORDS_MAX),
        ("問" * 2_730, 1),
        ("Zq Yw " * 1_365, 2),
    ],
    ids=["one word", "punctuation", "1,500 words", "no spaces", "capitals"],
)
def test_the_longest_questions_take_few_looks(scope: Scope, query: str, lookups: int) -> None:
    reads = Counting(scope.projection.reads)
    found = seeds_of_question(reads, query, At(scope.recorded_at, NOW))  # type: ignore[arg-type]
    assert reads.scans <= context_seeds.SCANS_MAX
    assert reads.lookups == lookups
    assert found.left_out == max(0, len(set(query.split())) - context_seeds.WORDS_MAX)


def test_where_too_much_is_named_every_phrase_has_its_turn() -> None:
    scope = Scope()
    numbers = list(range(2 * SEEDS_MAX))
    names = [f"{'Alpha' if number % 2 else 'Omega'} {number:04d}" for number in numbers]
    scope.commit(events.EntitiesRecorded(numbers=numbers, names=names, sources=[-1] * len(numbers)))
    found = seeds_of_question(scope.projection.reads, "alpha and omega", At(scope.recorded_at, NOW))
    assert len(found.seeds) == SEEDS_MAX
    assert found.matched["word"] == 2 * SEEDS_MAX
    assert sum(seed.entity % 2 for seed in found.seeds) == SEEDS_MAX // 2
    assert found.spans() == [(0, 5), (10, 15)]

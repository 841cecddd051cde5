"""Events on their way into projections: batches, publishing, dropping, rebuilding."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import EntitiesRecorded, Event, NodeFounded, ScopeForgotten, ScopeOpened, TokenIssued
from semurg.domain.visibility import At
from semurg.eventlog.protocol import Recorded
from semurg.projections.catalogue import ScopeEntry
from semurg.projections.projector import Projector, build
from semurg.projections.scope import ScopeProjection
from tests.projections.histories import STREAM, History
from tests.projections.naive_scope import keyed
from tests.projections.test_scope import answers, instants


def recorded(history: History) -> list[Recorded]:
    return [
        Recorded(position, STREAM, version, now, "remember", event)
        for version, (event, position, now) in enumerate(history.recorded, 1)
    ]


def log_of(*events: tuple[str, Event]) -> list[Recorded]:
    versions: dict[str, int] = {}
    log = []
    for position, (stream, event) in enumerate(events, 1):
        versions[stream] = versions.get(stream, 0) + 1
        log.append(Recorded(position, stream, versions[stream], position * 10, "remember", event))
    return log


OPENED = ("s1", ScopeOpened("ann", "demo", 1))
DANA = ("s1", EntitiesRecorded([0], ["Dana"], [-1]))
ACME = ("s1", EntitiesRecorded([1], ["Acme"], [-1]))


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 25))
def test_any_split_into_batches_and_a_rebuild_answer_the_same(random: Random, steps: int) -> None:
    history = History(random)
    for _ in range(steps):
        history.step()
    log = recorded(history)
    whole, split, rebuilt = Projector(keyed), Projector(keyed), Projector(keyed)
    whole.apply_batch(log)
    first = 0
    while first < len(log):
        size = random.randint(1, len(log))
        split.apply_batch(log[first : first + size])
        split.publish(log[min(first + size, len(log)) - 1].recorded_at)
        first += size
    rebuilt.rebuild(STREAM, log)
    for at in instants(history, random)[:6]:
        found = [answers(one.by_stream(STREAM) or _missing(), history.naive, at) for one in (whole, split, rebuilt)]
        assert found[0] == found[1] == found[2]
    assert split.scope("", "demo") is not None
    assert rebuilt.catalogue.version_of(STREAM) == whole.catalogue.version_of(STREAM)


def _missing() -> ScopeProjection:
    raise AssertionError("the scope is not there")


def test_a_scope_is_found_by_partition_and_name() -> None:
    projector = Projector(keyed)
    projector.apply_batch(log_of(OPENED, DANA))
    scope = projector.scope("ann", "demo")
    assert scope is not None
    assert scope.reads.find_exact("dana", At(20, 0)) == 0
    assert projector.scope("", "demo") is None
    assert projector.scope("ann", "other") is None
    assert projector.position == 2


def test_what_is_staged_counts_once_it_is_published() -> None:
    projector = Projector(keyed)
    projector.apply_batch(log_of(OPENED, DANA))
    scope = projector.scope("ann", "demo")
    assert scope is not None
    assert scope.published.entities == 0
    projector.publish(20)
    assert (scope.published.entities, projector.published_at) == (1, 20)


def test_a_forgotten_scope_is_gone_and_opens_afresh() -> None:
    projector = Projector(keyed)
    log = log_of(OPENED, DANA, ("s1", ScopeForgotten(1)), ("s1", ScopeOpened("ann", "demo", 2)), ACME)
    projector.apply_batch(log[:3])
    projector.publish(30)
    assert projector.scope("ann", "demo") is None
    assert projector.catalogue.was_forgotten("s1")
    projector.apply_batch(log[3:])
    for scope in (projector.scope("ann", "demo"), build("s1", log, keyed)):
        assert scope is not None
        assert scope.number == 2
        assert scope.reads.find_exact("dana", At(99, 0)) == -1
        assert scope.reads.position_at(30) == 0
    assert build("s1", log[:3], keyed) is None


def test_undoing_a_failed_commit_leaves_what_was_durable() -> None:
    projector = Projector(keyed)
    log = log_of(("node", NodeFounded("abc")), OPENED, DANA, ACME, ("node", TokenIssued("d1", "laptop")))
    projector.apply_batch(log)
    durable = log[:3]
    for stream in ("s1", "node"):
        projector.rebuild(stream, [one for one in durable if one.stream == stream])
    scope = projector.scope("ann", "demo")
    assert scope is not None
    assert scope.view.entities_by_key(["dana", "acme"]) == [0, -1]
    assert scope.published.entities == 1
    assert projector.catalogue.version_of("s1") == 2
    assert projector.catalogue.token("d1") is None
    assert projector.catalogue.node == "abc"


def test_undoing_the_commit_that_opened_a_scope_leaves_no_scope() -> None:
    projector = Projector(keyed)
    projector.apply_batch(log_of(OPENED, DANA))
    assert projector.rebuild("s1", []) is None
    assert projector.scope("ann", "demo") is None
    assert projector.catalogue.version_of("s1") == 0


def test_a_dropped_scope_is_loaded_when_it_is_asked_for() -> None:
    log = log_of(OPENED, DANA)
    loaded: list[str] = []

    def load(entry: ScopeEntry) -> ScopeProjection:
        loaded.append(entry.scope)
        return build(entry.stream, log, keyed) or _missing()

    projector = Projector(keyed, load)
    projector.apply_batch(log[:1])
    projector.drop("s1")
    assert loaded == []
    projector.apply_batch(log[1:])
    scope = projector.scope("ann", "demo")
    assert scope is not None
    assert scope.published.entities == 1
    assert projector.scope("ann", "demo") is scope
    assert loaded == ["demo"]
    assert projector.memory_bytes() > 0

"""memory_status: counts by scope, the ontology of one, and the instants they are of."""

from __future__ import annotations

from semurg.domain import events
from semurg.queries.instants import NOT_ASKED, ReadInstants
from semurg.queries.status import NamedScope, StatusRequest, status

from .scopes import NOW, Scope


def ask(*scopes: Scope, scope: str | None = None, instants: ReadInstants = NOT_ASKED) -> dict:
    published = max((one.recorded_at for one in scopes), default=0)
    listed = [NamedScope(one.scope, one.projection) for one in scopes]
    return status(listed, StatusRequest(scope, instants, NOW, published))


def project() -> Scope:
    scope = Scope(scope="project")
    scope.entity("Dana", "Person", "Founder")
    scope.entity("Ola", "person")
    scope.fact("Dana", "WORKS_AT", "Acme", "2020-01-01")
    scope.fact("Ola", "WORKS_AT", "Acme", "2020-01-01", "2022-01-01")
    scope.fact("Ola", "works at", "Beta", "2022-01-01")
    scope.fact("Ola", "KNOWS", "Dana")
    scope.document(("Dana sails. Ola rows.", [0, 12], {"Dana": 0, "Ola": 12}))
    return scope


def test_every_scope_of_the_partition_is_counted_in_the_order_given() -> None:
    other = Scope(scope="a")
    reply = ask(other, project())
    assert reply["scopes"] == [
        {"scope": "a", "entities": 0, "facts": 0, "documents": 0, "passages": 0},
        {"scope": "project", "entities": 4, "facts": 4, "documents": 1, "passages": 1},
    ]
    assert (reply["ok"], reply["state"], reply["armed"], reply["durable"]) == (True, "answered", True, True)
    assert reply["meaning"] == {"state": "not_armed", "model": None, "waiting": 0}
    assert "ontology" not in reply


def test_a_partition_with_nothing_in_it_says_so() -> None:
    reply = ask()
    assert (reply["state"], reply["scopes"], reply["position"]) == ("nothing_stored", [], "0")


def test_asking_for_a_scope_that_does_not_exist_does_not_list_it() -> None:
    scope = project()
    reply = ask(scope, scope="never-used")
    assert (reply["state"], reply["position"]) == ("nothing_stored", str(scope.position))
    assert [one["scope"] for one in reply["scopes"]] == ["project"]
    assert reply["ontology"] == {
        "entity_types": 0, "relation_types": 0, "top_classes": [], "relations": [], "name_merge": "by_name",
    }  # fmt: skip


def test_the_ontology_lists_classes_and_relations_with_every_spelling_in_use() -> None:
    scope = project()
    reply = ask(scope, scope="project")
    assert reply["position"] == str(scope.position)
    assert reply["ontology"] == {
        "entity_types": 2,
        "relation_types": 3,
        "top_classes": [
            {"type": "Person", "members": 2, "members_bound": "exact", "spellings": ["Person", "person"]},
            {"type": "Founder", "members": 1, "members_bound": "exact", "spellings": ["Founder"]},
        ],
        "relations": [
            {"type": "WORKS_AT", "facts": 3, "spellings": ["WORKS_AT", "works at"]},
            {"type": "KNOWS", "facts": 1, "spellings": ["KNOWS"]},
        ],
        "name_merge": "by_name",
    }


def test_the_fifty_biggest_classes_are_listed_and_all_are_counted() -> None:
    scope = Scope()
    for number in range(60):
        scope.entity(f"Thing {number}", f"Kind {number:02}")
    scope.entity("One more", "Kind 59")
    ontology = ask(scope, scope="t")["ontology"]
    assert ontology["entity_types"] == 60
    assert [one["type"] for one in ontology["top_classes"]] == ["Kind 59", *(f"Kind {n:02}" for n in range(49))]


def test_as_of_counts_what_was_known_then_ended_facts_included() -> None:
    scope = project()
    before = scope.recorded_at
    scope.fact("Dana", "KNOWS", "Cas")
    reply = ask(scope, scope="project", instants=ReadInstants(as_of=before))
    assert reply["scopes"] == [{"scope": "project", "entities": 4, "facts": 4, "documents": 1, "passages": 1}]
    assert reply["ontology"]["relations"][1] == {"type": "KNOWS", "facts": 1, "spellings": ["KNOWS"]}
    assert ask(scope)["scopes"][0]["facts"] == 5


def test_an_explicit_valid_at_counts_only_the_facts_that_hold_then() -> None:
    scope = project()
    asked = scope.at(valid_at="2021-01-01")
    reply = ask(scope, scope="project", instants=asked)
    # the one at Beta had not begun, the one without dates has always held
    assert reply["scopes"][0]["facts"] == 3
    assert reply["ontology"]["relations"] == [
        {"type": "WORKS_AT", "facts": 2, "spellings": ["WORKS_AT"]},
        {"type": "KNOWS", "facts": 1, "spellings": ["KNOWS"]},
    ]


def test_a_scope_that_was_not_there_yet_is_not_listed() -> None:
    early, late = Scope(scope="early"), Scope(scope="late")
    early.entity("Dana")
    late_opened = late.recorded_at
    assert ask(early, late, instants=ReadInstants(as_of=late_opened - 1))["scopes"] == []
    both = ask(early, late, instants=ReadInstants(as_of=late_opened))["scopes"]
    assert [one["scope"] for one in both] == ["early", "late"]


def test_the_position_is_the_newest_of_the_partition_and_a_read_at_it_lists_the_same_scopes() -> None:
    small, big = Scope(scope="small"), project()
    first = ask(small, big, scope="small")
    assert first["position"] == ask(small, big)["position"] == str(big.position)
    again = ask(small, big, scope="small", instants=ReadInstants(at_position=int(first["position"])))
    assert again == first


def test_what_is_forgotten_is_no_longer_counted() -> None:
    scope = project()
    scope.commit(events.FactForgotten(key_hash="h", fact=scope.facts["Ola", "KNOWS", "Dana"]))
    reply = ask(scope, scope="project")
    assert reply["scopes"][0]["facts"] == 3
    assert reply["ontology"]["relation_types"] == 2

"""The real memory and the oracle side by side: every command and read goes to both, and the replies must agree.

Ids are opaque, so the twins learn them: an id must always stand for the same thing, and no two things share one. Log
positions become ordinals of commands: what a command wrote lies behind the command before it and up to its own reply.
Scores are compared by their order alone.
"""

from __future__ import annotations

from typing import Any

from call_reading import RefusedError
from checks import Known, check_citation, check_items, check_status
from memory_oracle import Oracle
from reading_oracle import Place, Reading, instants_of

from semurg.domain.errors import Refusal

COUNTED = ("passages", "unlinked_passages", "mentions", "entities", "relations", "attributes", "extraction")
FORGOTTEN_COUNTS = ("facts", "passages_hidden", "passages_retained", "facts_kept")
# More refused calls than any history has; each may take a microsecond.
REFUSALS_MAX = 100
NEVER_A_DOCUMENT = "18446744073709551615"


class Clock:
    """The time that both are told: µs since 1970 UTC. `latest` is the latest that was ever told."""

    def __init__(self, start: int) -> None:
        self.now = self.latest = start

    def __call__(self) -> int:
        self.latest = max(self.latest, self.now)
        return self.now


class Twins:
    """One real memory, one oracle, and what is known of how they correspond."""

    def __init__(self, memory: Any, clock: Clock) -> None:
        self.memory, self.clock = memory, clock
        self.oracle = Oracle()
        self.known = Known()
        self.oracle.last_recorded_at = clock.now  # the node founds itself first, which is recorded too

    # commands

    def command(self, verb: str, place: Place, fields: dict[str, Any]) -> dict[str, Any] | None:
        """Carry a write out on both and compare; the real reply, None when both refused.

        The real memory goes first: it says at which instant it recorded the command, which a clock that stands still or
        steps back, and the lines that refused calls have in the change log, may move on a little.
        """
        sent, meant = fields, fields
        if verb == "forget" and "passage_index" in fields:
            sent, meant = self._which_document(place, fields["passage_index"])
        try:
            reply, code = getattr(self.memory, verb)(**placed(place), **sent), None
        except Refusal as refusal:
            reply, code = None, refusal.code
        right, refused = self._ask_oracle(verb, place, meant, self._instant(reply))
        if code is not None:
            assert code in refused, f"{verb} was refused with {code}, expected {refused or right}"
            return None
        if refused:
            assert "already_forgotten" in refused and reply.get("already_forgotten"), f"{refused} expected, got {reply}"
        elif verb == "forget":
            self._compare_forgotten(place, fields, reply, right)
        else:
            self._compare_written(verb, place, fields, reply, right)
        return reply  # type: ignore[no-any-return]

    def _which_document(self, place: Place, index: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The index-th document that a reply of this place named, as either calls it; a made-up id if there is none."""
        documents = self.known.documents_of(place)
        if not documents:
            return {"passage": NEVER_A_DOCUMENT}, {"passage": -1}
        number = documents[index % len(documents)]
        return {"passage": self.known.document_id(place, number)}, {"passage": number}

    def _instant(self, reply: dict[str, Any] | None) -> int:
        """When the command was recorded, or would have been."""
        due = max(self.clock.now, self.oracle.last_recorded_at + 1)
        if reply is None or reply.get("already") or reply.get("already_forgotten"):
            return due
        recorded: int = self.memory.node._log.head().recorded_at
        assert due <= recorded < max(due, self.clock.latest) + REFUSALS_MAX, f"recorded at {recorded}, due at {due}"
        return recorded

    def _ask_oracle(self, verb: str, place: Place, fields: dict[str, Any], instant: int) -> tuple[Any, tuple[str, ...]]:
        try:
            return getattr(self.oracle, verb)(place, instant, fields), ()
        except RefusedError as refusal:
            return None, refusal.codes
        except Refusal as refusal:
            return None, (refusal.code,)

    def _compare_written(
        self, verb: str, place: Place, fields: dict[str, Any], reply: dict[str, Any], right: dict[str, Any]
    ) -> None:
        assert reply["ok"] is True
        assert reply["already"] is right["already"], f"already: {reply['already']}"
        self.known.position(reply["position"], right["position"])
        if any(one.get("replaces") for one in [fields, *(fields.get("facts") or {}).get("relations", [])]):
            assert reply["replaces"] == right["replaces"], f"{reply['replaces']} is not {right['replaces']}"
        if verb == "relate":
            assert reply["present"] is True
            fact = reply["fact"]
            assert (fact["from"], fact["type"], fact["to"]) == right["fact"]["ends"]
            shown = fact["valid_from"], fact["valid_to"]
            assert shown in right["fact"]["intervals"] or not right["fact"]["intervals"]
            return
        assert reply["scope"] == place[1]
        for field in COUNTED:
            assert reply[field] == right[field], f"{field}: {reply[field]} is not {right[field]}"
        if "passages" in fields:
            assert len(reply["doc_ids"]) == len(right["documents"])
            ids = reply["doc_ids"]
        else:
            ids = [reply["doc_id"]] if right["documents"] else []
        for number, doc_id in zip(right["documents"], ids, strict=True):
            self.known.document(place, doc_id, number)
        if right["source_label_state"] is not None:
            possible = {right["source_label_state"]}
            if right["source_label_state"] == "new_source" and "date" in fields:
                possible.add("dated_own_source")
            assert reply["source_label_state"] in possible

    def _compare_forgotten(
        self, place: Place, fields: dict[str, Any], reply: dict[str, Any], right: dict[str, Any]
    ) -> None:
        assert bool(reply.get("already_forgotten")) is right["already_forgotten"], reply
        if right["already_forgotten"]:
            return
        assert reply["erased"] is True
        for field in FORGOTTEN_COUNTS:
            if field in right and not (fields.get("all") and field not in reply):
                assert reply[field] == right[field], f"{field}: {reply[field]} is not {right[field]}"
        for field in ("documents_retained", "documents_kept"):
            if field in right:
                assert sorted(reply[field]) == sorted(self.known.document_id(place, one) for one in right[field])
        if fields.get("all"):
            for kind in ("entities", "documents", "passages"):
                assert reply[kind] == right[kind]
            self.known.forget_place(place)
        if "position" in right:
            self.known.position(reply["position"], right["position"])
        else:
            self.known.position(reply["position"], self.oracle.commands)

    # reads

    def recall(self, place: Place, asked: dict[str, Any]) -> dict[str, Any]:
        """Recall on both with room for everything, and compare; the real reply."""
        reply: dict[str, Any] = self.memory.recall(**placed(place), **{"k": 1000, **asked})
        reading = self.reading(place, asked)
        stage, seeds = reading.seeds(asked.get("subject"), asked.get("attribute"))
        if self.oracle.scope(place).exists or not self.oracle.scope(place).all_forgotten:
            self.known.is_position(reply["position"], reading.position)
        names = sorted(entity.name for entity in reading.state.entities.values())
        if not seeds:
            assert (reply["state"], reply["items"], reply["left_out"]) == ("nothing_stored", [], 0)
            assert len(reply["did_you_mean"]) <= 3 and set(reply["did_you_mean"]) <= set(names)
            return reply
        assert reply["state"] == "answered", reply
        assert "did_you_mean" not in reply
        right_names = sorted(reading.state.entities[one].name for one in seeds)
        assert sorted(seed["name"] for seed in reply["seeds"]) == right_names
        assert {seed["seed"] for seed in reply["seeds"]} == {stage}
        for seed in reply["seeds"]:
            self.known.entity(place, seed["id"], seed["name"])
        seeds = [reading.state.entity_by_name(seed["name"]) for seed in reply["seeds"]]
        assert reply["left_out"] == 0 and reply["next"] is None
        check_items(self.known, place, reading, seeds, stage, reply["items"])
        return reply

    def reading(self, place: Place, asked: dict[str, Any]) -> Reading:
        """The oracle's view for a read that asks for these instants."""
        at = instants_of(self.oracle, self.clock.now, asked.get("as_of"), asked.get("valid_at"))
        return Reading(self.oracle, place, at)

    def status(self, place: Place) -> dict[str, Any]:
        """Status of one scope, and the counts of all in its partition, on both."""
        reply: dict[str, Any] = self.memory.memory_status(**placed(place))
        places = [place, *(one for one in self.oracle.scopes if one[0] == place[0])]
        check_status(reply, {scope: self.reading((user, scope), {}) for user, scope in places}, place[1])
        return reply


def placed(place: Place) -> dict[str, Any]:
    """The fields that say where."""
    user, scope = place
    return {"scope": scope} if user is None else {"scope": scope, "user_id": user}


__all__ = ["NEVER_A_DOCUMENT", "Clock", "Twins", "check_citation", "placed"]

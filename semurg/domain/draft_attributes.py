"""The attributes of one call: one value of a key at a time, later ones replacing, older ones kept as history."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import AttributeEpisode, AttributeHistory, AttributesRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.intervals import holds_at
from semurg.domain.limits import ATTRIBUTES_MAX
from semurg.domain.values import Value, dump, load, same_value
from semurg.domain.view import Episode, MemoryView, ValueEpisode

Owner = tuple[bool, int]


class AttributesDraft:
    """A working copy of the attribute histories that a call touches. An owner is (on_fact, number)."""

    def __init__(self, view: MemoryView, now: int) -> None:
        self._view = view
        self._now = now
        self._numbers: dict[tuple[Owner, str], int] = {}
        self._histories: dict[tuple[Owner, str], list[ValueEpisode]] = {}
        self._before: dict[tuple[Owner, str], list[ValueEpisode]] = {}
        self._sent: dict[tuple[Owner, str, int], Value] = {}
        self._keys: dict[Owner, int] = {}
        self._next = view.next_attribute

    def set(self, owner: Owner, owner_name: str, key: str, value: Value, start: int | None, cited: int) -> None:
        """State that the value is the one from `start` (µs; None: from now, or always when it is the first)."""
        instant = self._now if start is None else start
        sent = self._sent.setdefault((owner, key, instant), value)
        if not same_value(sent, value):
            raise Refusal(
                "attribute_conflict",
                f"The call gives {quoted(owner_name)} two values of {quoted(key)}.",
                "Send one value, or a list when all of them hold.",
            )
        slot = (owner, key)
        if slot not in self._histories:
            self._load(slot, owner_name)
        if start is not None and self._was_stated(slot, dump(value), start, cited):
            return
        self._histories[slot] = _with_value(self._histories[slot], value, start, instant, cited)

    def _was_stated(self, slot: tuple[Owner, str], value: str, start: int, cited: int) -> bool:
        """Whether this very statement is recorded: sent again, it must not undo what was said since."""
        return bool(self._before[slot]) and self._view.attribute_stated(self._numbers[slot], value, start, cited)

    def _load(self, slot: tuple[Owner, str], owner_name: str) -> None:
        owner, key = slot
        number = self._view.attribute(*owner, key)
        if number >= 0:
            self._before[slot] = self._view.attribute_episodes(number)
        else:
            number = self._next
            self._next += 1
            self._before[slot] = []
            held = self._keys.get(owner)
            held = self._view.attribute_keys(*owner) if held is None else held
            if held >= ATTRIBUTES_MAX:
                raise Refusal(
                    "limit_exceeded",
                    f"{quoted(owner_name)} would hold over {ATTRIBUTES_MAX} attributes; {quoted(key)} is one too many.",
                    f"Keep to {ATTRIBUTES_MAX} keys, or forget some first.",
                )
            self._keys[owner] = held + 1
        self._numbers[slot] = number
        self._histories[slot] = self._before[slot]

    @property
    def set_count(self) -> int:
        """How many of the sent attributes changed something."""
        return sum(history != self._before[slot] for slot, history in self._histories.items())

    @property
    def known_count(self) -> int:
        """How many of the sent attributes were so already."""
        return len(self._histories) - self.set_count

    def event(self) -> AttributesRecorded | None:
        """The histories that changed, whole; None when none did."""
        changed = [
            AttributeHistory(
                self._numbers[slot], *slot[0], slot[1], [AttributeEpisode(*episode) for episode in history]
            )
            for slot, history in self._histories.items()
            if history != self._before[slot]
        ]
        return AttributesRecorded(histories=changed) if changed else None


def changes_current(view: MemoryView, now: int, owner: Owner, key: str, value: Value) -> bool:
    """Whether the owner has a value of the key now, and another one than this."""
    number = view.attribute(*owner, key)
    if number < 0:
        return False
    current = [one for one in view.attribute_episodes(number) if holds_at(Episode(one.start, one.end), now)]
    return any(not same_value(load(one.value), value) for one in current)


def _with_value(
    history: list[ValueEpisode], value: Value, start: int | None, instant: int, cited: int
) -> list[ValueEpisode]:
    """The history after `value` is stated to be the one at `instant`; the rules are those of `replaces`."""
    if not history:
        return [ValueEpisode(UNKNOWN_START if start is None else start, NO_END, dump(value), cited)]
    place = bisect_right(history, instant, key=attrgetter("start"))
    before = history[:place]
    if before and before[-1].end > instant:
        held = before.pop()
        if _is_of(held, value):
            return history
        if held.start < instant:
            before.append(held._replace(end=instant))
    while place < len(history) and _is_of(history[place], value):
        place += 1
    added = ValueEpisode(instant, history[place].start if place < len(history) else NO_END, dump(value), cited)
    if before and before[-1].end == instant and _is_of(before[-1], value):
        added = before.pop()._replace(end=added.end)
    return [*before, added, *history[place:]]


def _is_of(episode: ValueEpisode, value: Value) -> bool:
    return same_value(load(episode.value), value)

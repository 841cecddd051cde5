"""One memory for all cases; each test has a scope of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

import semurg
from semurg.embedded import Memory

NUMBERS = count()


class Scope:
    """The verbs on one scope."""

    def __init__(self, memory: Memory, name: str, user: str | None = None) -> None:
        self.memory, self.place = memory, {"scope": name, "user_id": user}

    def remember(self, **fields: Any) -> dict[str, Any]:
        """Store."""
        return self.memory.remember(**self.place, **fields)

    def relate(self, source: str, type_name: str, target: str, **fields: Any) -> dict[str, Any]:
        """Assert one fact."""
        return self.memory.relate(**self.place, frm=source, to=target, type=type_name, **fields)

    def recall(self, subject: str | None = None, **fields: Any) -> dict[str, Any]:
        """Read."""
        return self.memory.recall(**self.place, subject=subject, **fields)

    def facts(self, subject: str, **fields: Any) -> list[str]:
        """Texts of the facts recalled."""
        return [one["text"] for one in self.recall(subject, **fields)["items"] if one["kind"] == "fact"]

    def forget(self, **fields: Any) -> dict[str, Any]:
        """Forget."""
        return self.memory.forget(**self.place, **fields)

    def status(self) -> dict[str, int]:
        """Its line in memory_status, empty when it is not there."""
        listed = self.memory.memory_status(user_id=self.place["user_id"])["scopes"]
        return next((one for one in listed if one["scope"] == self.place["scope"]), {})

    def other(self, name: str, user: str | None = None) -> Scope:
        """Another scope of the same memory."""
        return Scope(self.memory, name, user)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One memory for the module."""
    with semurg.open(tmp_path_factory.mktemp("cases") / "memory") as opened:
        yield opened


@pytest.fixture
def scope(memory: Memory) -> Scope:
    """A fresh scope."""
    return Scope(memory, f"case {next(NUMBERS)}")

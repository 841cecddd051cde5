"""Time in questions."""
from __future__ import annotations
from typing import Any, NamedTuple

class SpokenTime(NamedTuple):
    expression: str
    def nearness(self, instant: int) -> float:
        return 0.0
    def report(self) -> dict[str, Any]:
        return {}

def spoken_time(query: str, now: int) -> SpokenTime | None:
    return None

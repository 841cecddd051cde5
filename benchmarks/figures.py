"""A measured figure, its limit and its goal; how samples become one, and how figures are printed and kept."""

from __future__ import annotations

import gc
import os
import platform
import sqlite3
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import msgspec

LIBRARIES = ("numpy", "numba", "sanic", "msgspec", "pydantic", "aiosqlite")


class Goal(NamedTuple):
    """What a figure must reach: its ratio to the limit, or its own value."""

    of: str
    least: float | None = None
    most: float | None = None

    def met(self, value: float, ratio: float | None) -> bool | None:
        """Whether it is reached; None when the figure has no ratio."""
        measured = ratio if self.of == "ratio" else value
        if measured is None:
            return None
        return (self.least is None or measured >= self.least) and (self.most is None or measured <= self.most)

    def __str__(self) -> str:
        bound = f">= {self.least:,g}" if self.least is not None else f"<= {self.most:,g}"
        return f"{self.of} {bound}"


class Figure(msgspec.Struct, kw_only=True):
    """One line of the report. `ratio` is value / limit, the median over rounds that measured both in turn."""

    name: str
    unit: str
    value: float
    p99: float | None = None
    limit: float | None = None
    limit_is: str | None = None
    ratio: float | None = None
    goal: str | None = None
    met: bool | None = None
    sizes: dict[str, Any] = {}


def figure(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    limits: Sequence[float] = (),
    limit_is: str | None = None,
    p99: float | None = None,
    goal: Goal | None = None,
    sizes: dict[str, Any] | None = None,
) -> Figure:
    """The medians of rounds. Where limits are given, round by round, the ratio is the median of the rounds' ratios."""
    value = median(values)
    ratio = median(ours / limit for ours, limit in zip(values, limits, strict=True)) if limits else None
    return Figure(
        name=name,
        unit=unit,
        value=value,
        p99=p99,
        limit=median(limits) if limits else None,
        limit_is=limit_is,
        ratio=ratio,
        goal=None if goal is None else str(goal),
        met=None if goal is None else goal.met(value, ratio),
        sizes=sizes or {},
    )


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which this share of them lies."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(work: Callable[[], Any]) -> float:
    """Seconds that one call takes."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def each_ms(work: Callable[[int], Any], count: int) -> list[float]:
    """Milliseconds of each of `count` calls; each is told its number."""
    clock = time.perf_counter_ns
    samples = []
    for number in range(count):
        started = clock()
        work(number)
        samples.append((clock() - started) / 1e6)
    return samples


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load_average": round(os.getloadavg()[0], 1),
        **{name: version(name) for name in LIBRARIES},
    }


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def printed(one: Figure) -> str:
    """A figure as a few columns of text."""
    parts = [f"{one.name:<66}", f"{_number(one.value):>10} {one.unit:<10}"]
    parts.append(f"p99 {_number(one.p99):>9}" if one.p99 is not None else " " * 13)
    if one.limit is not None and one.ratio is not None:
        parts.append(f"{one.ratio:8.3f} x {_number(one.limit)} ({one.limit_is})")
    if one.goal is not None:
        parts.append({True: "reached", False: "MISSED", None: "-"}[one.met] + f": {one.goal}")
    return "  ".join(parts)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

"""House rules that a machine can hold: sizes, names, forbidden calls, time compared in one place only."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "semurg"
SOURCES = sorted(PACKAGE.rglob("*.py"))
FILE_LINES_MAX, FUNCTION_LINES_MAX, CLASS_LINES_MAX = 500, 60, 250
TIME_MAY_BE_COMPARED_IN = {
    "domain/visibility.py",
    "domain/intervals.py",
    "projections/kernels/visibility.py",
}
WORDS_NOT_FOR_MODULES = {"utils", "util", "helpers", "helper", "manager", "misc", "common", "base"}


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def offenders(lines: Iterator[str]) -> None:
    found = list(lines)
    assert not found, "\n".join(found)


def test_no_file_is_longer_than_the_limit() -> None:
    every = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
    offenders(f"{path}: {count}" for path in every if (count := len(path.read_text().splitlines())) > FILE_LINES_MAX)


@pytest.mark.parametrize(
    ("kinds", "most"),
    [((ast.FunctionDef, ast.AsyncFunctionDef), FUNCTION_LINES_MAX), ((ast.ClassDef,), CLASS_LINES_MAX)],
    ids=["functions", "classes"],
)
def test_nothing_is_longer_than_its_limit(kinds: tuple[type[ast.AST], ...], most: int) -> None:
    offenders(
        f"{relative(path)}:{node.lineno} {node.name} has {node.end_lineno - node.lineno + 1} lines"  # type: ignore[attr-defined]
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, kinds) and node.end_lineno - node.lineno + 1 > most  # type: ignore[attr-defined]
    )


def test_modules_are_named_for_what_they_hold() -> None:
    offenders(relative(path) for path in SOURCES if path.stem in WORDS_NOT_FOR_MODULES)


def test_every_module_and_public_definition_says_what_it_is() -> None:
    def missing(path: Path) -> Iterator[str]:
        module = tree(path)
        if module.body and ast.get_docstring(module) is None:
            yield f"{relative(path)} has no docstring"
        for node in module.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if not node.name.startswith("_") and ast.get_docstring(node) is None:
                yield f"{relative(path)}:{node.lineno} {node.name}"

    offenders(line for path in SOURCES for line in missing(path))


def _names_time(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.startswith(("valid_", "known_"))


def test_nothing_but_the_visibility_predicate_compares_instants() -> None:
    order = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    offenders(
        f"{relative(path)}:{node.lineno}"
        for path in SOURCES
        if relative(path) not in TIME_MAY_BE_COMPARED_IN
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Compare)
        and any(isinstance(one, order) for one in node.ops)
        and any(_names_time(inner) for side in (node.left, *node.comparators) for inner in ast.walk(side))
    )


def test_no_except_is_empty() -> None:
    offenders(
        f"{relative(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or all(isinstance(line, ast.Pass) for line in node.body))
    )


def test_only_the_composition_root_reads_the_clock() -> None:
    clock = re.compile(r"\btime\.time|time_ns\(|datetime\.now|utcnow|\.today\(")
    may = {"node.py"}
    offenders(
        f"{relative(path)}:{number}"
        for path in SOURCES
        if relative(path) not in may
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if clock.search(line)
    )


def test_nothing_names_the_machine_it_was_built_on() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    private = re.compile("/" + r"(work|root)/|\.lib" + "rary/")
    offenders(
        name
        for name in listed.stdout.splitlines()
        if (ROOT / name).is_file() and private.search((ROOT / name).read_text(errors="replace"))
    )

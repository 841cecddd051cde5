"""Every benchmark runs to its end at tiny sizes. What it measures is looked at by people, never asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.__main__ import BENCHMARKS, main


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_a_benchmark_prints_its_figures_and_keeps_them(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([name, "--quick", "--json", str(tmp_path / "figures.json")])
    report = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    figures = report["figures"][name]
    printed = capsys.readouterr().out
    assert report["quick"] and report["machine"]["cores"]
    for figure in figures:
        assert figure["name"] in printed
        assert figure["value"] > 0 or figure["unit"] == "bytes"
        assert (figure["limit"] is None) == (figure["limit_is"] is None) == (figure["ratio"] is None)


def test_an_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nothing_of_this_name"])
    assert "nothing_of_this_name" in capsys.readouterr().err

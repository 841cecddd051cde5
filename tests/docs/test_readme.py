"""The README is true: each of its commands is run here as it stands, in the order in which it is read."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for language, block in BLOCKS if not language for line in block.splitlines() if line]
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SEMURG_")}
    return {**kept, "PATH": PATH, **more}


def test_the_readme_names_the_two_commands_and_ci_runs_the_second() -> None:
    assert COMMANDS[:2] == ["scripts/demo", "scripts/test"]
    assert "exec scripts/test" in (ROOT / ".ci" / "run").read_text()


def test_the_demo_loads_its_memory_and_its_curl_lines_answer(tmp_path: Path) -> None:
    if not (ROOT / ".venv" / "semurg-installed").exists():
        pytest.skip("the environment was not made by scripts/setup; running it here would install over the network")
    command = ["scripts/demo", "--port", "0", "--data", str(tmp_path / "data")]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as demo:
        assert demo.stdout is not None
        said: list[str] = []
        curls: list[str] = []
        while len(curls) < 3:
            line = demo.stdout.readline()
            assert line, "the demo ended early:\n" + "".join(said)
            said.append(line)
            curls += [line] if line.startswith("curl ") else []
        (token,) = [line.split("=", 1)[1].strip() for line in said if line.startswith("export SEMURG_API_TOKEN=")]
        replies = [_curl(line, token) for line in curls]
        os.killpg(demo.pid, signal.SIGINT)
        assert demo.wait(10) == 0
    assert [line for line in said if line.startswith("  stored ")], "the history was stored"
    texts = [[item["text"] for item in reply["items"] if item["kind"] == "fact"] for reply in replies]
    assert "Dana Okafor WORKS_AT Lumen Works" in texts[0]
    assert "Dana Okafor WORKS_AT Northpier Engineering" in texts[1]
    assert any(item["citation"]["span_state"] == "quoted" for item in replies[2]["items"])


def _curl(line: str, token: str) -> dict[str, list[dict[str, str]]]:
    result = subprocess.run(
        ["bash", "-c", line], env=environment(SEMURG_API_TOKEN=token), capture_output=True, text=True, check=True
    )
    reply: dict[str, list[dict[str, str]]] = json.loads(result.stdout)
    return reply


def test_the_shell_commands_do_what_the_readme_says(tmp_path: Path) -> None:
    (serve,) = [line for line in COMMANDS if line.startswith("semurg serve")]
    verbs = [line for line in COMMANDS if line.startswith(("semurg relate", "semurg recall"))]
    with subprocess.Popen(
        [*shlex.split(serve), "--port", "0"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as node:
        assert node.stderr is not None
        url = next(said["url"] for line in node.stderr if (said := json.loads(line)).get("event") == "ready")
        secret = (tmp_path / "memory" / "semurg.env").read_text().split("=", 1)[1].strip()
        shell = environment(SEMURG_URL=url, SEMURG_API_TOKEN=secret)
        answers = [
            subprocess.run(shlex.split(line), env=shell, capture_output=True, text=True, check=True).stdout
            for line in verbs
        ]
        looks = [line for line in COMMANDS if "--data ./memory" in line and line != serve]
        seen = {
            line.split()[1]: subprocess.run(
                shlex.split(line), cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
            ).stdout
            for line in looks
        }
        node.send_signal(signal.SIGTERM)
        node.communicate(timeout=10)
        assert node.returncode == 0
    now, then = answers[-2:]
    assert "Beta" in now and "Acme" not in now
    assert "Acme" in then and "Beta" not in then
    assert set(seen) == {"token", "audit", "verify", "log", "replay"}
    assert "holds" in seen["verify"] and "Beta" in seen["log"] and "Beta" in seen["replay"]


def test_the_python_snippet_runs_and_prints_a_quoted_sentence(tmp_path: Path) -> None:
    (snippet,) = [block for language, block in BLOCKS if language == "python"]
    ran = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert "Dana KNOWS Eli" in ran.stdout and "Dana met Eli at the harbour in May." in ran.stdout


def test_every_document_that_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links and not [link for link in links if not (ROOT / link).exists()]


def test_the_benchmarks_are_where_the_readme_says() -> None:
    assert "python -m benchmarks" in README
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--quick" in ran.stdout

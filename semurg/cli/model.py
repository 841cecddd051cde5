"""`semurg model`: which model makes vectors, whether a directory holds a usable one, and the floor of a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from semurg.cli import terminal
from semurg.cli.memory import AsJson, Url
from semurg.cli.settings import connect

app = typer.Typer(name="model", help="The model that finds by meaning.", no_args_is_help=True)

SENTENCES = (
    "The ferry to the island leaves at seven in the morning.",
    "Boats sail for the isle early each day.",
    "Her favourite theorem is about prime numbers.",
)


@app.command()
def status(url: Url = None, as_json: AsJson = False) -> None:
    """Show which model the node has armed, and how much still waits for its vector."""
    with connect(url, None, None) as client:
        meaning = client.memory_status()["meaning"]
    if as_json:
        terminal.show_raw(msgspec.json.encode(meaning))
        return
    rows = [(name, str(value)) for name, value in meaning.items() if value is not None]
    terminal.show_lines([(f"{name}: {value}", "") for name, value in rows])


@app.command()
def check(
    directory: Annotated[Path, typer.Argument(help="A directory with model.onnx and tokenizer.json.")],
    as_json: AsJson = False,
) -> None:
    """Run the model of a directory on three sentences: its size, its speed, and whether it tells them apart."""
    # Imported here: no other command of the shell needs onnxruntime.
    from semurg.meaning.onnx_model import open_directory
    from semurg.meaning.protocol import ModelUnavailable

    try:
        model = open_directory(directory)
        started = time.perf_counter()
        vectors = model.embed_passages(SENTENCES)
        milliseconds = (time.perf_counter() - started) * 1_000 / len(SENTENCES)
    except ModelUnavailable as unavailable:
        fix = "Name a directory with model.onnx and tokenizer.json, and install semurg[meaning]."
        terminal.show_failure("model_unavailable", f"The model cannot be used: {unavailable}.", fix, as_json)
        raise typer.Exit(1) from unavailable
    alike, apart = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    found = {
        "name": model.name,
        "digest": model.digest,
        "dimensions": model.dimensions,
        "max_tokens": model.max_tokens,
        "ms_a_sentence": round(milliseconds, 1),
        "cosine_of_alike": round(alike, 3),
        "cosine_of_unlike": round(apart, 3),
    }
    if as_json:
        terminal.show_raw(msgspec.json.encode(found))
    else:
        terminal.show_lines([(f"{name}: {value}", "") for name, value in found.items()])
    if not alike > apart:
        detail = "The model does not tell sentences of one meaning from others."
        terminal.show_failure("model_unavailable", detail, "Use a model made for sentences.", as_json)
        raise typer.Exit(1)


@app.command()
def calibrate(url: Url = None, as_json: AsJson = False) -> None:
    """Measure the armed model's floor on what the node holds, and keep it with the model."""
    with connect(url, None, None) as client:
        reply = client.call("model_calibrate", {})
    if as_json:
        terminal.show_raw(msgspec.json.encode(reply))
    else:
        terminal.show_lines([(f"{reply['model']}: floor {reply['floor']} over {reply['scopes']} scopes", "")])

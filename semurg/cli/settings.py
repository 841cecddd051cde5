"""Which node the shell speaks to, and as whom: options first, then the environment, then this machine's own node."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_dir

from semurg.client import DEFAULT_URL, Client, is_loopback

TOKEN_VARIABLE = "SEMURG_API_TOKEN"
ENVIRONMENT_FILE = "semurg.env"


def data_directory(given: Path | None = None) -> Path:
    """The data directory: the option, else SEMURG_DATA, else the user's own place for data."""
    if given is not None:
        return given
    named = os.environ.get("SEMURG_DATA")
    return Path(named) if named else Path(user_data_dir("semurg", appauthor=False))


def connect(url: str | None, scope: str | None, user: str | None) -> Client:
    """A client of the node that options and environment name."""
    address = url or os.environ.get("SEMURG_URL") or DEFAULT_URL
    return Client(
        address,
        token=os.environ.get(TOKEN_VARIABLE) or _local_token(address),
        scope=scope or os.environ.get("SEMURG_SCOPE") or None,
        user=user or os.environ.get("SEMURG_USER") or None,
    )


def _local_token(url: str) -> str | None:
    """The owner token that a node on this machine left for its owner; never sent to another machine."""
    if not is_loopback(url):
        return None
    try:
        lines = (data_directory() / ENVIRONMENT_FILE).read_text("utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == TOKEN_VARIABLE:
            return value.strip()
    return None

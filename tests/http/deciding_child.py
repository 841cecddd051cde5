"""A node whose large calls are never done being decided: the program that the tests of stopping start."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from semurg.cli import main
from semurg.orders import Deciding

_decide = Deciding.decide


def _decide_small_ones_only(deciding: Deciding, *arguments: Any) -> Any:
    if threading.current_thread() is threading.main_thread():
        return _decide(deciding, *arguments)
    sys.stderr.write(json.dumps({"event": "deciding", "message": "deciding"}) + "\n")
    sys.stderr.flush()
    while True:
        threading.Event().wait()


if __name__ == "__main__":
    Deciding.decide = _decide_small_ones_only  # type: ignore[assignment,method-assign]
    main()

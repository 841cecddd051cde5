"""The log read commit by commit, those without events included: what the audit is made of.

Called by sqlite_log.py, in its reader's thread. A hop looks at no more than COMMITS_PER_HOP commits and
COMMIT_BYTES_MAX bytes of payloads, so that other reads come in between, however few commits are wanted.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from semurg.eventlog.protocol import CommitPage, CommitWanted, Recorded, StoredCommit
from semurg.eventlog.sqlite_read import EVENTS, recorded

COMMITS_PER_HOP = 20_000
COMMIT_BYTES_MAX = 4 * 1024 * 1024

_HEADS = """
    SELECT number, position, verb, actor, stream, outcome, recorded_at FROM "commit"
    WHERE number > ? ORDER BY number LIMIT ?
"""
_OF_COMMIT = f"{EVENTS} WHERE event.position > ? AND event.position <= ? ORDER BY event.position"
_POSITION = 'SELECT position FROM "commit" WHERE number = ?'
_TIME = 'SELECT recorded_at FROM "commit" WHERE number = ?'
_LAST = 'SELECT max(number) FROM "commit"'


def read_commits(connection: sqlite3.Connection, after: int, limit: int, wanted: CommitWanted) -> CommitPage:
    """The wanted ones among the next commits, and how far was looked."""
    row = connection.execute(_POSITION, (after,)).fetchone()
    before = 0 if row is None else row[0]
    found: list[StoredCommit] = []
    through, read = after, 0
    with closing(connection.execute(_HEADS, (after, COMMITS_PER_HOP))) as heads:
        for head in heads:
            commit = StoredCommit._make((*head, [], []))
            if wanted(commit):
                read += _add_events(connection, commit, before)
                found.append(commit)
            through, before = commit.number, commit.position
            if len(found) >= limit or read >= COMMIT_BYTES_MAX:
                break
    return CommitPage(found, through)


def _add_events(connection: sqlite3.Connection, commit: StoredCommit, before: int) -> int:
    """Read the commit's events into it; how many bytes of payload they have."""
    read = 0
    if commit.position > before:
        for row in connection.execute(_OF_COMMIT, (before, commit.position)):
            one: Recorded = recorded(row)
            commit.events.append(one)
            commit.kinds.append(row[5])
            read += len(row[6])
    return read


def last_commit_before(connection: sqlite3.Connection, instant: int) -> int:
    """The number of the last commit recorded before the instant (µs), 0 when there is none: numbers have no gaps."""
    low, high = 0, connection.execute(_LAST).fetchone()[0] or 0
    while low < high:
        middle = (low + high + 1) // 2
        row = connection.execute(_TIME, (middle,)).fetchone()
        if row is not None and row[0] < instant:
            low = middle
        else:
            high = middle - 1
    return low

"""What the node knows across scopes: which there are, which were forgotten, where each stream stands, the tokens.

A scope's stream is a keyed hash of its partition and name, so a forgotten scope leaves only that.
"""

from __future__ import annotations

from typing import NamedTuple

from semurg.domain.events import Event, NodeFounded, ScopeForgotten, ScopeOpened, TokenIssued, TokenRevoked, UserDeleted


class ScopeEntry(NamedTuple):
    """An open scope. `user` is "" for the owner's own partition; `opened_at` µs; `position` of its opening event."""

    stream: str
    user: str
    scope: str
    number: int
    opened_at: int
    position: int


class StreamHead(NamedTuple):
    """The last event of a stream: its version, its position in the log, and when it was recorded, µs. 0: none."""

    version: int
    position: int
    recorded_at: int


class Token(NamedTuple):
    """A bearer token in use. `digest` is SHA-256 of the secret, hex; `scopes` None: all of its partition."""

    digest: str
    name: str
    owner: bool
    user: str | None
    read_only: bool
    scopes: tuple[str, ...] | None
    expires_at: int | None
    issued_at: int
    stream: str
    position: int


NO_HEAD = StreamHead(0, 0, 0)


class Catalogue:
    """Scopes by (user, scope) and by stream, stream heads, tokens by digest."""

    def __init__(self) -> None:
        self.node: str | None = None
        self._node_stream = ""
        self._partitions: dict[str, dict[str, ScopeEntry]] = {}
        self._by_stream: dict[str, ScopeEntry] = {}
        self._forgotten: set[str] = set()
        self._heads: dict[str, StreamHead] = {}
        self._tokens: dict[str, Token] = {}
        self._issued: dict[str, Token] = {}
        self._ended: dict[str, list[tuple[int, int]]] = {}
        self._deleted: dict[str, set[str]] = {}
        self.next_number = 1

    def apply(self, event: Event, stream: str, version: int, position: int, recorded_at: int) -> None:
        """Take in the next event of the log; most only move the head of their stream."""
        self._heads[stream] = StreamHead(version, position, recorded_at)
        match event:
            case ScopeOpened():
                entry = ScopeEntry(stream, event.user, event.scope, event.number, recorded_at, position)
                self._partitions.setdefault(event.user, {})[event.scope] = entry
                self._by_stream[stream] = entry
                self.next_number = max(self.next_number, event.number + 1)
            case ScopeForgotten():
                self._close(stream)
                self._forgotten.add(stream)
                self._ended.setdefault(stream, []).append((position, event.number))
                self.next_number = max(self.next_number, event.number + 1)
            case NodeFounded():
                self.node, self._node_stream = event.node, stream
            case TokenIssued():
                self._tokens[event.digest] = self._issued[event.digest] = _token(event, recorded_at, stream, position)
            case TokenRevoked():
                self._tokens.pop(event.digest, None)
            case UserDeleted():
                for digest in event.tokens:
                    self._tokens.pop(digest, None)
                    self._issued.pop(digest, None)
                self._deleted.setdefault(stream, set()).add(event.user_hash)
            case _:
                return

    def reset(self, stream: str) -> None:
        """Take back everything that events of this stream said."""
        self._close(stream)
        self._forgotten.discard(stream)
        self._heads.pop(stream, None)
        self._ended.pop(stream, None)
        self._deleted.pop(stream, None)
        self._tokens = {digest: token for digest, token in self._tokens.items() if token.stream != stream}
        self._issued = {digest: token for digest, token in self._issued.items() if token.stream != stream}
        if self._node_stream == stream:
            self.node, self._node_stream = None, ""

    def _close(self, stream: str) -> None:
        entry = self._by_stream.pop(stream, None)
        if entry is None:
            return
        partition = self._partitions[entry.user]
        del partition[entry.scope]
        if not partition:
            del self._partitions[entry.user]

    def __len__(self) -> int:
        """How many scopes are open."""
        return len(self._by_stream)

    def entry(self, user: str, scope: str) -> ScopeEntry | None:
        """The open scope of this name in the partition ("" is the owner's own), None when there is none."""
        return self._partitions.get(user, {}).get(scope)

    def entry_of(self, stream: str) -> ScopeEntry | None:
        """The open scope of a stream."""
        return self._by_stream.get(stream)

    def all_scopes(self) -> list[ScopeEntry]:
        """Every open scope, in the order opened."""
        return list(self._by_stream.values())

    def scopes_of(self, user: str) -> list[ScopeEntry]:
        """The open scopes of a partition, by name."""
        return [entry for _, entry in sorted(self._partitions.get(user, {}).items())]

    def was_forgotten(self, stream: str) -> bool:
        """Whether a scope of this stream was ever forgotten; it may be open again."""
        return stream in self._forgotten

    def head(self, stream: str) -> StreamHead:
        """Where the stream stands."""
        return self._heads.get(stream, NO_HEAD)

    def version_of(self, stream: str) -> int:
        """Version of the stream's last event, 0 when it has none."""
        return self.head(stream).version

    def position_of(self, stream: str) -> int:
        """Position of the stream's last event, 0 when it has none."""
        return self.head(stream).position

    def token(self, digest: str) -> Token | None:
        """The token with this digest, None when it was never issued or is revoked."""
        return self._tokens.get(digest)

    def tokens(self) -> list[Token]:
        """Every token in use, in the order issued."""
        return list(self._tokens.values())

    def issued(self) -> list[Token]:
        """Every token ever issued, those that are revoked since included, in the order issued."""
        return list(self._issued.values())

    def issued_to(self, user: str) -> list[Token]:
        """Every token ever pinned to this end user, those that are revoked since included."""
        return [token for token in self._issued.values() if token.user == user]

    def was_deleted(self, user_hash: str) -> bool:
        """Whether the end user with this keyed hash was ever deleted; there may be new scopes since."""
        return any(user_hash in hashes for hashes in self._deleted.values())

    def number_at(self, stream: str, position: int) -> int | None:
        """The number that the stream's scope had when the event at this position was recorded, None when unknown.

        A scope that is opened again after it was forgotten has another number, and so have the ids in it.
        """
        for ended_at, number in self._ended.get(stream, ()):
            if position <= ended_at:
                return number
        entry = self._by_stream.get(stream)
        return None if entry is None else entry.number


def _token(event: TokenIssued, issued_at: int, stream: str, position: int) -> Token:
    scopes = None if event.scopes is None else tuple(event.scopes)
    grants = (event.digest, event.name, event.owner, event.user, event.read_only, scopes, event.expires_at)
    return Token(*grants, issued_at, stream, position)

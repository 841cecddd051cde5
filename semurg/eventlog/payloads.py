"""The erasable part of an event: its encoded fields under a salt, how they lie in the log, what a redaction leaves.

Pure. A payload lies in the log as one blob, `salt(16) | schema version(2) | length(4) | fields | zeros`, big-endian.
The zeros keep a rewritten payload at the size of what it replaces: SQLite then overwrites it where it lies. A row of
another size is put elsewhere, pages are rebalanced, and copies stay behind in their gaps, secure_delete or not.
"""

from __future__ import annotations

import os
import struct
from hashlib import sha256

import msgspec

from semurg.domain.events import Event
from semurg.eventlog.codec import ERASED_PAYLOAD, ERASED_VERSION, encode

SALT_BYTES = 16
_HEADER = struct.Struct(f">{SALT_BYTES}sHI")


class StoredPayload(msgspec.Struct, frozen=True, gc=False):
    """Encoded fields, the schema version they are encoded in, and the salt of their digest."""

    schema_version: int
    salt: bytes
    payload: bytes

    @property
    def digest(self) -> bytes:
        """The 32 bytes that stand for it in the chain, or in the forget event that ordered it."""
        return payload_digest(self.salt, self.schema_version, self.payload)


def payload_digest(salt: bytes, schema_version: int, payload: bytes) -> bytes:
    """SHA-256 over the header (salt, version, length) and the fields. Without the salt nothing can be guessed back."""
    return sha256(_HEADER.pack(salt, schema_version, len(payload)) + payload).digest()


def rewritten(event: Event, salt: bytes | None = None) -> StoredPayload:
    """What a redaction leaves of an event: `event` in the place of what was recorded, under a new salt.

    Put `Redaction(position, it.digest)` into the forget event and the value itself into `Commit.redactions`. The salt
    travels inside the value; None draws a fresh one. The kind of the event at a position cannot change.
    """
    encoded = encode(event)
    return StoredPayload(encoded.version, salt or os.urandom(SALT_BYTES), encoded.payload)


def erased(salt: bytes | None = None) -> StoredPayload:
    """A redaction that leaves nothing: the event reads as `codec.Erased` from then on."""
    return StoredPayload(ERASED_VERSION, salt or os.urandom(SALT_BYTES), ERASED_PAYLOAD)


def pack(stored: StoredPayload, size: int = 0) -> bytes:
    """The blob of a payload, padded with zeros to `size` bytes where it is smaller."""
    blob = _HEADER.pack(stored.salt, stored.schema_version, len(stored.payload)) + stored.payload
    return blob.ljust(size, b"\0")


def unpack(blob: bytes) -> StoredPayload:
    """The payload in a blob. Raises ValueError when the blob is torn or its padding is not empty."""
    if len(blob) < _HEADER.size:
        raise ValueError("a stored payload is shorter than its header")
    salt, schema_version, length = _HEADER.unpack_from(blob)
    end = _HEADER.size + length
    if len(blob) < end or blob.count(0, end) != len(blob) - end:
        raise ValueError("a stored payload does not have the length that its header says")
    return StoredPayload(schema_version, salt, blob[_HEADER.size : end])

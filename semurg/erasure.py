"""Physical forgetting, the part that the log needs: which payloads a forget rewrites, and what is left of each.

The forget event names every position it redacts and the digest of what stays there, so the chain still verifies. The
log rewrites the payloads in the transaction of that event; the projections erase their own bytes when they apply it.
"""

from __future__ import annotations

import msgspec

from semurg.domain.commands import Forget, ForgetSource
from semurg.domain.decide_forget import Forgotten
from semurg.domain.events import Redaction, ScopeForgotten
from semurg.domain.redact import gone_by, redact
from semurg.eventlog.codec import Erased
from semurg.eventlog.protocol import Log, StoredPayload, erased, rewritten
from semurg.projections.scope import ScopeProjection

READ_POSITIONS = 2_000


async def with_redactions(
    log: Log, scope: ScopeProjection, event: Forgotten, command: Forget
) -> tuple[Forgotten, dict[int, StoredPayload]]:
    """The forget event with its redactions, and the new payload for each redacted position.

    The cost follows what is forgotten: only the commits that recorded it are read.
    """
    gone = gone_by(event, command.label if isinstance(command, ForgetSource) else None)
    everything = isinstance(event, ScopeForgotten)
    positions = scope.positions() if everything else scope.positions_holding(gone)
    payloads: dict[int, StoredPayload] = {}
    for first in range(0, len(positions), READ_POSITIONS):
        for recorded in await log.read_at(positions[first : first + READ_POSITIONS]):
            if isinstance(recorded.event, Erased | Forgotten):
                continue
            if everything:
                payloads[recorded.position] = erased()
            elif (left := redact(recorded.event, gone)) is not recorded.event:
                payloads[recorded.position] = rewritten(left)
    redactions = [Redaction(position, payload.digest) for position, payload in payloads.items()]
    return msgspec.structs.replace(event, redactions=redactions), payloads


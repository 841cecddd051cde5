"""The one table of operations. Every door (HTTP now) and every description of them is built from it.

A new verb is a model in models.py, a line here, and a command or query below the node; no door changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from semurg.api.models import SHAPES
from semurg.api.shape import Shape


class Access(Enum):
    """What a caller must hold: nothing, any valid token, one that may read, one that may write, or the owner's own."""

    NONE = "none"
    TOKEN = "token"
    READ = "read"
    WRITE = "write"
    OWNER_READ = "owner read"
    OWNER_WRITE = "owner write"


class Operation(NamedTuple):
    """One operation. `verb` names it below the node; `shape` is None when it takes no input."""

    name: str
    verb: str
    method: str
    path: str
    access: Access
    title: str
    description: str
    shape: Shape | None = None

    @property
    def writes(self) -> bool:
        """Whether it can change what is stored."""
        return self.access in (Access.WRITE, Access.OWNER_WRITE)

    @property
    def owner_only(self) -> bool:
        """Whether it is about the node and not about one memory: the owner's alone, with no scope of its own."""
        return self.access in (Access.OWNER_READ, Access.OWNER_WRITE)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="whoami",
        verb="whoami",
        method="GET",
        path="/v1/whoami",
        access=Access.TOKEN,
        title="Which token this is",
        description="Says whose token the request carries, what it may do, and which end user and scopes bound it.",
    ),
    Operation(
        name="memory_status",
        verb="status",
        method="GET",
        path="/v1/memory/status",
        access=Access.READ,
        title="What the memory holds",
        description=(
            "Without a scope: every scope that the caller may read, with its counts. With one: also its ontology, the "
            "classes and relations in use with their exact spellings. Look here before storing, and reuse the "
            "spellings: another spelling is another relation. Reading creates nothing, not even the scope it names."
        ),
        shape=SHAPES["status"],
    ),
    Operation(
        name="memory_remember",
        verb="remember",
        method="POST",
        path="/v1/memory/remember",
        access=Access.WRITE,
        title="Store texts and facts",
        description=(
            "Stores a text (content, messages or passages, one kind a call) and the facts beside it, in one "
            "transaction that is durable before the answer. You are the extractor: send the entities and relations "
            "that you read in the text as facts, and list both ends of each relation. `date` says when it was said or "
            "true; `replaces` on a relation ends the other targets of the same source and type. The same call again "
            "changes nothing and answers the same."
        ),
        shape=SHAPES["remember"],
    ),
    Operation(
        name="memory_recall",
        verb="recall",
        method="POST",
        path="/v1/memory/recall",
        access=Access.READ,
        title="What is known of an entity",
        description=(
            "Finds an entity by name (exact, then close spelling, then a word of the name) or by an attribute's value, "
            "and returns it, its facts in both directions and the passages that name it, each with its source. `as_of` "
            "reads what was known at an instant, `valid_at` what was true then. `nothing_stored` means just that: the "
            "nearest thing is never passed off as an answer."
        ),
        shape=SHAPES["recall"],
    ),
    Operation(
        name="memory_context",
        verb="context",
        method="POST",
        path="/v1/memory/context",
        access=Access.READ,
        title="What bears on a question",
        description=(
            "Returns the stored facts and passages that bear on a question, ranked and cited, found by names, words, "
            "meaning and the graph around them. No model writes anything: answer from the items, and look at "
            "`grounding` first. `grounded`: one cited item holds every word of the question. `grounded_by_meaning`: a "
            "passage answers in other words; read it. Anything else means that memory does not answer: say so. Time in "
            "the question (last summer, in March 2024) is understood; the reply says how."
        ),
        shape=SHAPES["context"],
    ),
    Operation(
        name="memory_relate",
        verb="relate",
        method="POST",
        path="/v1/memory/relate",
        access=Access.WRITE,
        title="Store one fact",
        description=(
            "Asserts one directed fact between two entities, creating them when they are new. `valid_from` and "
            "`valid_to` (also among the attributes) bound when it holds; `replaces: true` ends the other targets of "
            "the same source and type at its date."
        ),
        shape=SHAPES["relate"],
    ),
    Operation(
        name="memory_forget",
        verb="forget",
        method="POST",
        path="/v1/memory/forget",
        access=Access.WRITE,
        title="Forget one thing for good",
        description=(
            "Takes exactly one form: subject, fact, passage, source, attribute, or all: true. Names must match "
            "exactly; close names are offered and never forgotten. What is forgotten is returned by no read, whatever "
            "instant it asks for. Forgetting the same again answers already_forgotten and changes nothing."
        ),
        shape=SHAPES["forget"],
    ),
    Operation(
        name="memory_delete_user",
        verb="delete_user",
        method="POST",
        path="/v1/memory/delete_user",
        access=Access.WRITE,
        title="Delete an end user for good",
        description=(
            "Forgets every scope of the end user in one transaction, erases them from the disk, and ends the tokens "
            "pinned to that user. Writes of the user that arrive meanwhile wait and begin afresh; "
            "`written_during_delete` counts them. Again: already_deleted."
        ),
        shape=SHAPES["delete_user"],
    ),
    Operation(
        name="memory_audit",
        verb="audit",
        method="POST",
        path="/v1/memory/audit",
        access=Access.OWNER_READ,
        title="Who changed what, and who was refused",
        description=(
            "Every write, change and delete of an authenticated caller, the refused ones included, oldest first. `who` "
            "is a token's name or owner; scopes and end users show as keyed hashes only, so name one to look it up. An "
            "entry holds nothing of what was written but the kinds of events and the ids that they name."
        ),
        shape=SHAPES["audit"],
    ),
    Operation(
        name="token_create",
        verb="token_create",
        method="POST",
        path="/v1/tokens/create",
        access=Access.OWNER_WRITE,
        title="Issue a token",
        description=(
            "Answers with a new secret, which is shown this once and stored nowhere. The token may be pinned to one "
            "end user, limited to scopes, read-only, and given an end. An Idempotency-Key does not count here: a reply "
            "that is kept would keep the secret."
        ),
        shape=SHAPES["token_create"],
    ),
    Operation(
        name="token_list",
        verb="token_list",
        method="POST",
        path="/v1/tokens/list",
        access=Access.OWNER_READ,
        title="The tokens in use",
        description="Name, first digits of the digest, end user, scopes, access and end of each; never a secret.",
        shape=SHAPES["token_list"],
    ),
    Operation(
        name="token_revoke",
        verb="token_revoke",
        method="POST",
        path="/v1/tokens/revoke",
        access=Access.OWNER_WRITE,
        title="Revoke a token",
        description="Names it by its name or the first digits of its digest. It is refused from the next request on.",
        shape=SHAPES["token_revoke"],
    ),
    Operation(
        name="model_calibrate",
        verb="model_calibrate",
        method="POST",
        path="/v1/model/calibrate",
        access=Access.OWNER_WRITE,
        title="Measure the model's floor",
        description=(
            "Asks what is stored some fifty questions that no memory answers, and keeps the cosine that 95% of their "
            "best hits stay under as the armed model's floor. What is found by meaning alone must reach it."
        ),
        shape=SHAPES["model_calibrate"],
    ),
    Operation(
        name="node_status",
        verb="node",
        method="GET",
        path="/v1/status",
        access=Access.TOKEN,
        title="The node itself",
        description="Identity, version, log and projection positions, armed models, disk, and whether it can write.",
    ),
    Operation(
        name="health",
        verb="health",
        method="GET",
        path="/api/health",
        access=Access.NONE,
        title="Is it alive, is it ready",
        description="Needs no token. 200 when the node serves; 503 `warming` while it reads its log or stops.",
    ),
    Operation(
        name="openapi",
        verb="openapi",
        method="GET",
        path="/openapi.json",
        access=Access.NONE,
        title="This description",
        description="The OpenAPI 3.1 description of every operation.",
    ),
    Operation(
        name="docs",
        verb="docs",
        method="GET",
        path="/docs",
        access=Access.NONE,
        title="A page to read and try it",
        description="An HTML page, complete in itself, that shows every operation and sends requests.",
    ),
)

BY_NAME: Mapping[str, Operation] = {operation.name: operation for operation in OPERATIONS}

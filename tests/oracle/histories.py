"""Strategies for histories: a small alphabet, so that commands meet the same things again and again."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SECOND = 1_000_000
DAY = 86_400 * SECOND

# Spellings of few things: case, composed and decomposed accents, white space, one name inside another, no spaces.
NAMES = (
    "Dana",
    "DANA",
    "Zoë Crème",
    "Zoe\u0308 Cre\u0300me",
    "Zoe Creme",
    "Acme",
    "Ann",
    "New York",
    "new  york",
    "New York Times",
    "霧島",
)
ASKED = (*NAMES, "dan", "Danna", "Zoe Crème", "Creme", "York", "Annika", "Nobody at all", "The")
PARTS = ("part_of", "Part Of", "partOf")
RELATIONS = ("WORKS_AT", "works_at", "married_to", "Married-To", "PARENT_OF", "child of", *PARTS)
TYPES = ("Person", "person", "City", "Firm")
KEYS = ("role", "since", "Role")
VALUES: tuple[Any, ...] = (
    "lead",
    "engineer",
    3,
    True,
    "2021-05-01",
    ["a", "b"],
    ["b", "a"],
    {"value": "0.50", "type": "decimal"},
    {"value": "2021-05-01T10:00:00+02:00", "type": "datetime"},
)
DATES = (
    "2020",
    "2020-06",
    "2020-06-01",
    "2021-03-01T12:00:00Z",
    "2021-03-01 14:00:00+02:00",
    "2022-01-15",
    "2023-05-02",
    "2024-03",
    "2031",
)
LABELS = ("note", "mail")
SENTENCES = (
    "Dana works at Acme.",
    "DANA met Zoë Crème and Ann.",
    "Zoe\u0308 Cre\u0300me lives in New York.",
    "The New York Times wrote of it.",
    "Annika read the news.",
    "It rained all day.",
)
UNSPACED_TEXT = "朝の霧島は静か。"
PLACE = (None, "work")
# Clocks start here; a history may run past the dates that lie ahead of it.
START = 1_682_899_200 * SECOND  # 2023-05-01

dates = st.sampled_from(DATES)
names = st.sampled_from(NAMES)
maybe_date = st.none() | dates


def fields(required: dict[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]) -> Any:
    """Dicts with these fields; an optional one is left out when its strategy draws None."""
    return st.fixed_dictionaries({**required} | {key: st.none() | one for key, one in optional.items()}).map(
        lambda drawn: {key: one for key, one in drawn.items() if one is not None}
    )


attributes = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1, max_size=2)
entities = fields({"name": names}, type=st.sampled_from(TYPES), attributes=attributes)
relations = fields(
    {"source": names, "target": names, "type": st.sampled_from(RELATIONS)},
    attributes=attributes,
    valid_from=dates,
    valid_to=dates,
    replaces=st.just(True),
)
facts = fields(
    {},
    entities=st.lists(entities, min_size=1, max_size=2),
    relations=st.lists(relations, min_size=1, max_size=3),
)
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3, unique=True).map(" ".join) | st.just(UNSPACED_TEXT)
messages = st.lists(
    fields({"content": st.sampled_from(SENTENCES)}, role=st.sampled_from(("user", "assistant")), name=st.just("Dana")),
    min_size=1,
    max_size=3,
)


@st.composite
def passages(draw: st.DrawFn) -> dict[str, Any]:
    """A passage whose mentions mostly occur in it."""
    text = draw(texts)
    offered = ("Dana", "ZOË CRÈME", "ann", "Acme", "New York", "霧島")
    likely = [name for name in offered if name.casefold() in text.casefold()]
    mentions = draw(st.lists(st.sampled_from(likely or ["Dana"]), max_size=2, unique=True))
    date, key = draw(maybe_date), draw(st.none() | st.just("k1"))
    return {"text": text, "mentions": mentions, **({"date": date} if date else {}), **({"key": key} if key else {})}


@st.composite
def remembers(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A remember with text of one kind or none, and facts beside it or not."""
    text: dict[str, Any] = draw(
        st.just({})
        | st.builds(lambda one: {"content": one}, texts)
        | st.builds(lambda one: {"messages": one}, messages)
        | st.builds(lambda one: {"passages": one}, st.lists(passages(), min_size=1, max_size=2))
    )
    more = draw(fields({}, facts=facts, date=dates, source=st.sampled_from(LABELS)))
    return "remember", {**text, **more}


relates = st.tuples(
    st.just("relate"),
    fields(
        {"frm": names, "to": names, "type": st.sampled_from(RELATIONS)},
        attributes=attributes,
        valid_from=dates,
        valid_to=dates,
        date=dates,
        source=st.sampled_from(LABELS),
        replaces=st.just(True),
    ),
)
forgets = st.tuples(
    st.just("forget"),
    st.one_of(
        st.builds(lambda one: {"subject": one}, names),
        st.builds(
            lambda source, kind, target: {"fact": {"from": source, "type": kind, "to": target}},
            names,
            st.sampled_from(RELATIONS),
            names,
        ),
        st.builds(lambda one: {"passage_index": one}, st.integers(0, 3)),
        st.builds(lambda one: {"source": one}, st.sampled_from(LABELS)),
        st.builds(lambda one, key: {"attribute": {"subject": one, "key": key}}, names, st.sampled_from(KEYS)),
        st.just({"all": True}),
    ),
)
# Few names and one relation: what replaces, episodes and corrections do to each other.
few = st.sampled_from(("Acme", "Ann", "New York"))
dense_relations = fields(
    {"source": st.just("Dana"), "target": few, "type": st.just("part_of")},
    attributes=st.dictionaries(st.just("role"), st.sampled_from(("lead", "engineer")), min_size=1),
    valid_from=dates,
    valid_to=dates,
    replaces=st.just(True),
)
roles = st.builds(lambda one: {"role": one}, st.sampled_from("abc"))
dense_entities = fields({"name": st.just("Dana")}, attributes=roles)
dense_facts = fields(
    {},
    entities=st.lists(dense_entities, min_size=1, max_size=1),
    relations=st.lists(dense_relations, min_size=1, max_size=3),
)
dense_writes = st.tuples(
    st.just("remember"), fields({"facts": dense_facts}, date=dates, source=st.sampled_from(LABELS))
).filter(lambda one: one[1]["facts"])
dense_forgets = st.tuples(
    st.just("forget"),
    st.one_of(
        st.builds(lambda one: {"subject": one}, few),
        st.builds(lambda one: {"fact": {"from": "Dana", "type": "part_of", "to": one}}, few),
        st.just({"attribute": {"subject": "Dana", "key": "role"}}),
        st.just({"source": "note"}),
    ),
)
dense_commands = st.one_of(dense_writes, dense_writes, dense_writes, dense_writes, dense_forgets)
# What the clock does before a command: moves on a little or past many dates, stands still, or steps back.
steps = st.sampled_from((SECOND, SECOND, 37 * DAY, 400 * DAY, 0, -3 * DAY))
writes = st.one_of(remembers(), remembers(), relates, relates)
commands = st.one_of(writes, writes, writes, forgets)
dense_histories = st.lists(st.tuples(steps, dense_commands), min_size=1, max_size=10)
histories = st.lists(st.tuples(steps, commands), min_size=1, max_size=8)
INSTANTS_READ = ("2019-12-31", "2020", "2020-06-01T00:00:00Z", "2021-03-01", "2023", "2026", "2040")
valid_ats = st.none() | st.sampled_from(INSTANTS_READ)

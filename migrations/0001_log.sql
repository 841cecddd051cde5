-- The log: what happened (commit, event), what users said (payload), and what is still to be erased (erasure).

CREATE TABLE "commit" (
    number INTEGER PRIMARY KEY,
    position INTEGER NOT NULL,  -- of the log once the commit is written; a commit without events moves it by nothing
    command_id TEXT NOT NULL,
    verb TEXT NOT NULL,
    actor TEXT NOT NULL,
    stream TEXT NOT NULL,
    outcome TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32)
);

CREATE TABLE event (
    position INTEGER PRIMARY KEY,
    commit_number INTEGER NOT NULL,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload_digest BLOB NOT NULL CHECK (length(payload_digest) = 32),
    UNIQUE (stream, version)
);

-- The only place where what users said is stored: salt, schema version, length, encoded fields, padding.
CREATE TABLE payload (
    position INTEGER PRIMARY KEY,
    stored BLOB NOT NULL
);

-- A redaction that is committed and whose old bytes may still lie in some file. ordered_by: position of the forget event.
-- grown: the new payload was longer, so it moved, and the whole file must be rewritten.
CREATE TABLE erasure (
    position INTEGER PRIMARY KEY,
    ordered_by INTEGER NOT NULL,
    stream TEXT NOT NULL,
    grown INTEGER NOT NULL
);

-- Replies to writes that came with an Idempotency-Key, kept for a day. A table for the even days and one for the odd:
-- each is emptied whole, because deleting single rows leaves copies of their neighbours in the file.
CREATE TABLE reply_memo_even (
    number INTEGER PRIMARY KEY,
    key_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    stream TEXT NOT NULL,
    at INTEGER NOT NULL,
    live INTEGER NOT NULL,
    reply BLOB NOT NULL
);
CREATE INDEX reply_memo_even_key ON reply_memo_even (key_hash);
CREATE INDEX reply_memo_even_stream ON reply_memo_even (stream);
CREATE TABLE reply_memo_odd (
    number INTEGER PRIMARY KEY,
    key_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    stream TEXT NOT NULL,
    at INTEGER NOT NULL,
    live INTEGER NOT NULL,
    reply BLOB NOT NULL
);
CREATE INDEX reply_memo_odd_key ON reply_memo_odd (key_hash);
CREATE INDEX reply_memo_odd_stream ON reply_memo_odd (stream);

-- Envelopes are final, and a payload is rewritten by a redaction alone.
CREATE TRIGGER commit_is_not_updated BEFORE UPDATE ON "commit"
BEGIN SELECT RAISE(ABORT, 'a commit is final'); END;
CREATE TRIGGER commit_is_not_deleted BEFORE DELETE ON "commit"
BEGIN SELECT RAISE(ABORT, 'a commit is final'); END;
CREATE TRIGGER event_is_not_updated BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'an event is final'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'an event is final'); END;
CREATE TRIGGER payload_is_not_deleted BEFORE DELETE ON payload
BEGIN SELECT RAISE(ABORT, 'a payload is rewritten, never removed'); END;
CREATE TRIGGER payload_is_rewritten_by_redaction BEFORE UPDATE ON payload
WHEN NEW.position <> OLD.position OR NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.position = OLD.position)
BEGIN SELECT RAISE(ABORT, 'a payload is rewritten by a redaction alone'); END;

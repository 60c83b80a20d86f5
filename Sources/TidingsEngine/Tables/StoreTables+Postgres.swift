extension StoreTables {
  /// What only PostgreSQL has: the content of assets and the audit log, which the embedded store has in files, and how
  /// tables are kept in order.
  static var postgres: String {
    """
    \(content)

    \(rewrittenTables.map { "ALTER TABLE \($0) SET (\(rewritten));" }.joined(separator: "\n"))
    \(growingTables.map { "ALTER TABLE \($0) SET (\(growing));" }.joined(separator: "\n"))
    """
  }

  /// Tables with few rows that change with each save keep half of a page free: an update then stays on its page and
  /// adds nothing to indexes, and dead rows are removed soon.
  private static let rewrittenTables = [
    "badges", "channels", "clock", "databases", "schemas", "store", "usage", "work_positions",
    "zones",
  ]
  private static let rewritten =
    "fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0"

  /// Tables with many rows are vacuumed in small steps.
  private static let growingTables = [
    "ancestors", "answers", "events", "fetches", "index_entries", "read_marks", "records",
    "work_leases",
  ]
  private static let growing =
    "autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02"

  private static let content = """
    -- Where the content of assets is: 1 in asset_chunks, 2 in files. No row: no asset was there at any start.
    CREATE TABLE asset_storage (
      id BIGINT PRIMARY KEY,
      kind BIGINT NOT NULL
    );
    -- Uploads, and the contents of assets that they became.
    -- state: 0 bytes are arriving; 1 they are all there, and have the checksum; 2 rows of assets may name it; 3 its
    -- pieces are being removed.
    CREATE TABLE asset_contents (
      id INTEGER PRIMARY KEY,
      checksum BLOB NOT NULL,
      -- Bytes of the asset, and those that are stored.
      size BIGINT NOT NULL,
      stored BIGINT NOT NULL,
      state BIGINT NOT NULL,
      -- In states 0 and 1, what is uploaded to which database by whom; the uploader, to count them.
      upload TEXT UNIQUE,
      uploader TEXT,
      -- When it was continued, on the steady clock.
      changed BIGINT NOT NULL
    );
    ALTER TABLE asset_contents SET (fillfactor = 50);
    CREATE INDEX asset_contents_by_checksum ON asset_contents (checksum, state);
    CREATE INDEX asset_contents_by_uploader ON asset_contents (uploader) WHERE state = 0;
    CREATE INDEX asset_contents_unfinished ON asset_contents (changed) WHERE state < 2;
    CREATE INDEX asset_contents_removed ON asset_contents (id) WHERE state = 3;
    -- Pieces, at most 1 MiB each; together they are the content without gaps. Most assets are compressed already.
    CREATE TABLE asset_chunks (
      content_id BIGINT NOT NULL,
      first_byte BIGINT NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (content_id, first_byte)
    );
    ALTER TABLE asset_chunks
      SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
    ALTER TABLE asset_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

    -- Lines of the audit log, without their line feeds, oldest first. A segment is what is removed at once.
    CREATE TABLE audit_lines (
      kind TEXT NOT NULL,
      position BIGINT NOT NULL,
      segment BIGINT NOT NULL,
      line BLOB NOT NULL,
      PRIMARY KEY (kind, position)
    );
    CREATE INDEX audit_lines_by_segment ON audit_lines (kind, segment);
    -- The last line of each kind: its position, its number in the chain and its checksum. Whoever adds lines locks it
    -- first.
    CREATE TABLE audit_heads (
      kind TEXT PRIMARY KEY,
      position BIGINT NOT NULL,
      number BIGINT NOT NULL,
      hash BLOB NOT NULL,
      segment BIGINT NOT NULL,
      segment_bytes BIGINT NOT NULL
    );
    ALTER TABLE audit_heads SET (fillfactor = 50);
    """
}

/// The tables of what the embedded store has in files beside its database.
package enum DatabaseContent {
  /// Their names; an embedded database has none of them.
  package static let tables = [
    "asset_storage", "asset_contents", "asset_chunks", "audit_lines", "audit_heads",
  ]
}

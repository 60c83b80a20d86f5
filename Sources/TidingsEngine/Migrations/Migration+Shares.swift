internal import TidingsSQL

extension Migration {
  /// What users share, with whom, and the records that hierarchical shares hold.
  static let shares = Migration(
    number: 5,
    name: "shares",
    sql: """
      -- name: the share's own record. root: the record shared with its descendants; empty: the zone.
      -- zone_name: outlives the zone, for those who had the share.
      -- head: the zone's number at the newest change of what a hierarchical share holds, and of the
      -- share's own record; of a zone-wide share the zone's own head counts, if it is newer.
      -- floor: up to which number rows of shared_records that are gone were forgotten.
      -- The newest row is never removed, so that no number is given twice; ended: since when it only
      -- stands for that.
      CREATE TABLE shares (
        id INTEGER PRIMARY KEY NOT NULL,
        database_id INTEGER NOT NULL,
        zone_id INTEGER NOT NULL,
        zone_name TEXT NOT NULL,
        name TEXT NOT NULL,
        root TEXT NOT NULL,
        token BLOB NOT NULL UNIQUE,
        public_permission INTEGER NOT NULL,
        head INTEGER NOT NULL,
        floor INTEGER NOT NULL DEFAULT 0,
        ended BIGINT
      );
      CREATE UNIQUE INDEX shares_by_name ON shares (zone_id, name) WHERE ended IS NULL;
      CREATE UNIQUE INDEX shares_by_root ON shares (zone_id, root) WHERE ended IS NULL;
      CREATE INDEX shares_by_database ON shares (database_id, id) WHERE ended IS NULL;
      CREATE INDEX ended_shares ON shares (ended) WHERE ended IS NOT NULL;

      -- The users of a share besides its owner; the numbers are the contract's. joined: the number of
      -- the share's zone when it was accepted. Those of an ended share are removed.
      CREATE TABLE share_participants (
        share_id INTEGER NOT NULL,
        user TEXT NOT NULL,
        role INTEGER NOT NULL,
        permission INTEGER NOT NULL,
        status INTEGER NOT NULL,
        joined INTEGER NOT NULL,
        PRIMARY KEY (share_id, user)
      ) WITHOUT ROWID;
      CREATE INDEX share_participants_by_user ON share_participants (user, share_id);

      -- The records of hierarchical shares, the share's own record too, each at the zone's number at
      -- which it was changed, came or left. A record is in one share at most. came: the number at which it
      -- came last. gone: when it left or was deleted, in milliseconds since 1970; 0: it is there. Those of
      -- an ended share are removed.
      CREATE TABLE shared_records (
        share_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        zone_id INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        changed INTEGER NOT NULL,
        came INTEGER NOT NULL,
        gone BIGINT NOT NULL,
        PRIMARY KEY (share_id, name)
      ) WITHOUT ROWID;
      CREATE INDEX shared_records_by_change ON shared_records (share_id, changed, name);
      CREATE UNIQUE INDEX shared_records_by_name ON shared_records (zone_id, name) WHERE gone = 0;
      CREATE INDEX gone_shared_records ON shared_records (gone) WHERE gone > 0;
      """
  )
}

extension StoreTables {
  /// What users share, with whom, and the records that hierarchical shares hold.
  static let sharing = """
    -- name: the share's own record. root: the record shared with its descendants; empty: the zone. zone_name: outlives
    -- the zone, for those who had the share. head: the zone's number at the newest change of what a hierarchical share
    -- holds, and of the share's own record; of a zone-wide share the zone's own head counts, if it is newer. floor: up
    -- to which number rows of shared_records that are gone were forgotten. The newest row is never removed, so that no
    -- number is assigned twice; ended: since when it only stands for that.
    CREATE TABLE shares (
      id INTEGER PRIMARY KEY NOT NULL,
      database_id BIGINT NOT NULL,
      zone_id BIGINT NOT NULL,
      zone_name TEXT NOT NULL,
      name TEXT NOT NULL,
      root TEXT NOT NULL,
      token BLOB NOT NULL UNIQUE,
      public_permission BIGINT NOT NULL,
      head BIGINT NOT NULL,
      floor BIGINT NOT NULL DEFAULT 0,
      ended BIGINT
    );
    CREATE UNIQUE INDEX shares_by_name ON shares (zone_id, name) WHERE ended IS NULL;
    CREATE UNIQUE INDEX shares_by_root ON shares (zone_id, root) WHERE ended IS NULL;
    CREATE INDEX shares_by_database ON shares (database_id, id) WHERE ended IS NULL;
    CREATE INDEX ended_shares ON shares (ended) WHERE ended IS NOT NULL;
    CREATE INDEX ended_shares_by_zone ON shares (zone_id, id) WHERE ended IS NOT NULL;
    CREATE INDEX shares_of_database ON shares (database_id);

    -- The users of a share besides its owner; the numbers are the contract's. joined: the number of the share's zone
    -- when it was accepted. Those of an ended share are removed.
    CREATE TABLE share_participants (
      share_id BIGINT NOT NULL,
      user TEXT NOT NULL,
      role BIGINT NOT NULL,
      permission BIGINT NOT NULL,
      status BIGINT NOT NULL,
      joined BIGINT NOT NULL,
      PRIMARY KEY (share_id, user)
    ) WITHOUT ROWID;
    CREATE INDEX share_participants_by_user ON share_participants (user, share_id);
    CREATE INDEX share_members ON share_participants (user, share_id)
      WHERE status = 2 AND permission >= 2;

    -- The records of hierarchical shares, the share's own record too, each at the zone's number at which it was
    -- changed, came or left. A record is in one share at most. came: the number at which it came last. gone: when it
    -- left or was deleted, in milliseconds since 1970; 0: it is there. Those of an ended share are removed.
    CREATE TABLE shared_records (
      share_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      zone_id BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      changed BIGINT NOT NULL,
      came BIGINT NOT NULL,
      gone BIGINT NOT NULL,
      PRIMARY KEY (share_id, name)
    ) WITHOUT ROWID;
    CREATE INDEX shared_records_by_change ON shared_records (share_id, changed, name);
    CREATE UNIQUE INDEX shared_records_by_name ON shared_records (zone_id, name) WHERE gone = 0;
    CREATE INDEX gone_shared_records ON shared_records (gone) WHERE gone > 0;
    CREATE INDEX shared_records_present ON shared_records (share_id, gone, name) WHERE gone = 0;

    -- The one-time URLs of shares that have not ended. token_hash: BLAKE2b of the URL's token, 32 bytes. The row stays
    -- when the invitation was accepted, for who repeats it.
    CREATE TABLE share_invitations (
      token_hash BLOB PRIMARY KEY NOT NULL,
      share_id BIGINT NOT NULL,
      participant_id TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX share_invitations_by_share ON share_invitations (share_id, participant_id);

    -- Who asked for access to which share, whatever became of it. asked: on the store's scale, in milliseconds. Rows
    -- are removed when they are older than requests are remembered.
    CREATE TABLE access_requests (
      user TEXT NOT NULL,
      share_id BIGINT NOT NULL,
      asked BIGINT NOT NULL,
      PRIMARY KEY (user, share_id)
    ) WITHOUT ROWID;
    CREATE INDEX access_requests_by_time ON access_requests (asked);
    """
}

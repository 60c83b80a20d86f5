internal import TidingsSQL

extension Migration {
  /// Invitations with one-time URLs, and who asked for access.
  static let shareAccess = Migration(
    number: 15,
    name: "share access",
    sql: """
      -- The one-time URLs of shares that have not ended. token_hash: BLAKE2b of the URL's token, 32 bytes.
      -- The row stays when the invitation was accepted, for who repeats it.
      CREATE TABLE share_invitations (
        token_hash BLOB PRIMARY KEY NOT NULL,
        share_id INTEGER NOT NULL,
        participant_id TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX share_invitations_by_share ON share_invitations (share_id, participant_id);

      -- Who asked for access to which share, whatever became of it. asked: on the store's scale, in
      -- milliseconds. Rows are removed when they are older than requests are remembered.
      CREATE TABLE access_requests (
        user TEXT NOT NULL,
        share_id INTEGER NOT NULL,
        asked BIGINT NOT NULL,
        PRIMARY KEY (user, share_id)
      ) WITHOUT ROWID;
      CREATE INDEX access_requests_by_time ON access_requests (asked);
      """
  )
}

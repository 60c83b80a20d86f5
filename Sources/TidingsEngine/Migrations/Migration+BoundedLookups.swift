internal import TidingsSQL

extension Migration {
  /// Indexes of what a user has now, so that no look at it goes through what the user had.
  static let boundedLookups = Migration(
    number: 21,
    name: "bounded lookups",
    sql: """
      CREATE INDEX subscriptions_active_by_owner
        ON subscriptions (owner, container, environment, channel_id) WHERE ended IS NULL;
      CREATE INDEX subscriptions_ended_by_owner
        ON subscriptions (owner, container, environment) WHERE ended IS NOT NULL;
      CREATE INDEX share_members ON share_participants ("user", share_id)
        WHERE status = 2 AND permission >= 2;
      CREATE INDEX shared_records_present ON shared_records (share_id, gone, name) WHERE gone = 0;
      """
  )
}

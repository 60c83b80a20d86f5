package import TidingsSQL

#if DEBUG
internal import Glibc
#endif

extension Migration {
  /// All steps of the store's schema.
  ///
  /// From the first release on, what has landed is never changed: a new need is a new step. Nodes of the version before
  /// go on following while a node of this one leads, and signs of life are left while steps run. So no later step
  /// changes `migrations`, `leader` and `commits`, and `store` and `account_keys` only get columns, with values by
  /// default.
  package static let store: [Migration] =
    [
      Migration(
        number: 1,
        name: "tables",
        sql: StoreTables.all,
        postgresSQL: StoreTables.postgres
      )
    ] + next

  /// The data format that this program reads and writes: the number of its newest step.
  package static let format: Int64 = store.last?.number ?? 0

  /// A step that no release has: with the environment variable `TIDINGS_TEST_NEXT_FORMAT`, a debug build is the next
  /// version, so that tests can upgrade to it.
  private static var next: [Migration] {
    #if DEBUG
    guard getenv("TIDINGS_TEST_NEXT_FORMAT") != nil else { return [] }
    return [
      Migration(
        number: 2,
        name: "next version of a test",
        sql: """
          CREATE TABLE next_version (id BIGINT PRIMARY KEY);
          ALTER TABLE account_keys ADD COLUMN next_version BIGINT NOT NULL DEFAULT 0;
          """
      )
    ]
    #else
    return []
    #endif
  }
}

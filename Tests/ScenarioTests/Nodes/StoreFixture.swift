#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport

/// A database of an earlier version, as SQL, and what clients saw of it: `Fixtures/format-18.sql` and `.json`.
///
/// A new data format leaves the older ones here: whoever adds a step makes the fixtures of the format before it, with
/// the last build that has that one (`TIDINGS_MAKE_FIXTURE=1 tools/test --filter StoreFixtureTests`; `FolderFixture` is
/// one of the embedded store).
struct StoreFixture {
  /// The number of the newest step that the database has seen.
  let format: Int64

  /// All that there are.
  static let all = FixtureFiles.formats("format-", ".sql").map(StoreFixture.init(format:))

  private func name(_ suffix: String) -> String { "format-\(format).\(suffix)" }

  /// Stores a database and what clients see of it.
  func write(database uri: String, _ view: StoredContent.View) throws {
    let dump = try SystemProgram.run(
      "pg_dump",
      ["--no-owner", "--no-privileges", "--inserts", "--dbname=\(uri)"]
    )
    // Random words, which psql of an earlier version does not know.
    let lines = dump.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }
    let path = FixtureFiles.path(name("sql"))
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    try FixtureFiles.write(view, to: name("json"))
  }

  /// Makes the database again.
  ///
  /// - Returns: Its address.
  /// - Throws: `WaitingFailure`.
  func load() throws -> String {
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    try SystemProgram.run(
      "psql",
      [
        "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname=\(uri)",
        "--file=\(FixtureFiles.path(name("sql")))",
      ]
    )
    return uri
  }

  /// What clients saw, and how long ago.
  func view() throws -> (view: StoredContent.View, age: Duration) {
    try FixtureFiles.view(name("json"))
  }
}
#endif

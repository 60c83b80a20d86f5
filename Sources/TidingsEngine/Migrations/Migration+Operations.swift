internal import TidingsSQL

extension Migration {
  /// What operators do while the server runs.
  static let operations = Migration(
    number: 12,
    name: "operations",
    sql: """
      -- Limits that were set while the server ran; they outlast restarts.
      CREATE TABLE settings (
        name TEXT PRIMARY KEY NOT NULL,
        value BIGINT NOT NULL
      ) WITHOUT ROWID;

      -- Containers whose development environment is being reset.
      CREATE TABLE environment_resets (
        container TEXT PRIMARY KEY NOT NULL,
        user TEXT NOT NULL,
        begun BIGINT NOT NULL
      ) WITHOUT ROWID;
      """
  )
}

internal import TidingsSQL

extension Migration {
  /// The users whom others may find.
  static let directory = Migration(
    number: 14,
    name: "directory",
    sql: """
      -- Users who published themselves in a container. email: in lower case; phone: a plus sign and digits; null:
      -- not published.
      CREATE TABLE directory_entries (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        user TEXT NOT NULL,
        display_name TEXT NOT NULL,
        email TEXT,
        phone TEXT,
        PRIMARY KEY (container, environment, user)
      ) WITHOUT ROWID;
      CREATE INDEX directory_entries_by_user ON directory_entries (user, container);
      CREATE UNIQUE INDEX directory_entries_by_email ON directory_entries (container, environment, email)
        WHERE email IS NOT NULL;
      CREATE UNIQUE INDEX directory_entries_by_phone ON directory_entries (container, environment, phone)
        WHERE phone IS NOT NULL;
      """
  )
}

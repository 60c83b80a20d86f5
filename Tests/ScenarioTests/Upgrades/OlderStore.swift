internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// A data folder with content of all kinds, in the data format before that of the next version, which upgrades it.
struct OlderStore {
  /// Has the data folder, `data`.
  let folder: TemporaryFolder
  /// What clients saw of it.
  let view: StoredContent.View

  /// Makes a server the next version, which has a data format of its own.
  static let nextVersion = ["TIDINGS_TEST_NEXT_FORMAT": "1"]
  private static let database = "data/tidings.sqlite"

  /// A folder whose server was killed: the last commits are in the log alone.
  static func killed() async throws -> OlderStore {
    let server = try await TestServer.start()
    let view = try await StoredContent(server: server).fill()
    try await server.crash()
    return OlderStore(folder: server.folder, view: view)
  }

  /// A folder whose server was stopped, and whose pages have no checksums: the next start rewrites it first.
  static func withoutChecksums() async throws -> OlderStore {
    let server = try await TestServer.start()
    let view = try await StoredContent(server: server).fill()
    #expect(try await server.stop() == .code(0))
    let path = server.folder.file(database)
    try moveLog(path)
    // Python's own SQLite knows nothing of this project's VFS.
    try SystemProgram.run("python3", ["-c", rewrites, path])
    #expect(try !hasChecksums(server.folder))
    return OlderStore(folder: server.folder, view: view)
  }

  /// Moves the log into the database, and removes it, as a server does that stops.
  private static func moveLog(_ path: String) throws {
    let connection = try SQLiteConnection(path: path)
    try connection.moveWholeLog()
    connection.setMovesLogOnClose(true)
  }

  /// Whether the pages of a database have checksums: its header says so.
  static func hasChecksums(_ folder: TemporaryFolder) throws -> Bool {
    let reservedBytesPosition = 20
    return try folder.read(database)[reservedBytesPosition] != 0
  }

  /// Tables first, then indexes, then views.
  private static let rewrites = #"""
    import os, sqlite3, sys
    path = sys.argv[1]
    plain = path + "-plain"
    c = sqlite3.connect(plain, isolation_level=None)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("ATTACH ? AS old", (path,))
    c.execute("BEGIN")
    rows = c.execute(
        "SELECT type, name, sql FROM old.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' "
        "ORDER BY type = 'table' DESC, type = 'index' DESC, rowid"
    ).fetchall()
    for kind, name, sql in rows:
        c.execute(sql)
        if kind == "table":
            c.execute(f'INSERT INTO main."{name}" SELECT * FROM old."{name}"')
    c.execute("COMMIT")
    c.close()
    os.chmod(plain, 0o600)
    os.replace(plain, path)
    """#

  /// The data format of a data folder which no server uses: the number of the newest step that its database has seen.
  static func format(of folder: TemporaryFolder) throws -> Int64 {
    // A copy: whoever opens a database changes the files beside it.
    let copy = try TemporaryFolder()
    for name in ["tidings.sqlite", "tidings.sqlite-wal"] where folder.has("data/\(name)") {
      try copy.write(folder.read("data/\(name)"), to: name)
    }
    let connection = try SQLiteConnection(path: copy.file("tidings.sqlite"), readsOnly: true)
    let newest = try connection.prepare("SELECT coalesce(max(number), 0) FROM migrations")
    defer { newest.reset() }
    return try newest.step() ? newest.int64(0) : 0
  }

  /// Another folder with the same data.
  func copy() throws -> TemporaryFolder {
    let other = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: folder.file("data"), toPath: other.file("data"))
    return other
  }
}

extension TemporaryFolder {
  /// Whether there is a file, or a folder.
  fileprivate func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: file(name))
  }
}

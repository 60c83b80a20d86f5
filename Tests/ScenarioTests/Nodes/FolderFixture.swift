internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// A data folder of an earlier version, packed, and what clients saw of it: `Fixtures/embedded-21-stopped.tar.gz` and
/// `.json`.
///
/// It has all that rpcd has in a folder: the database, its log after a `kill -9`, the state beside it, assets, the
/// audit log, and keys, which protect nothing.
struct FolderFixture: Sendable, CustomTestStringConvertible {
  /// How the server ended that used it last.
  enum End: String, Sendable, CaseIterable {
    case stopped
    /// With `kill -9`: the last commits are in the log alone.
    case killed
  }

  /// The number of the newest step that the database has seen.
  let format: Int64
  let end: End

  /// All that there are.
  static let all = End.allCases.flatMap { end in
    FixtureFiles.formats("embedded-", "-\(end.rawValue).tar.gz").map {
      FolderFixture(format: $0, end: end)
    }
  }

  /// The largest archive that is checked in.
  static let bytesMax = 300_000

  var testDescription: String { "format \(format), \(end.rawValue)" }

  private func name(_ suffix: String) -> String { "embedded-\(format)-\(end.rawValue).\(suffix)" }

  /// Stores the data folder of a server that has ended, and what clients saw of it.
  func write(_ folder: TemporaryFolder, _ view: StoredContent.View) throws {
    let packed = try TemporaryFolder().file("packed")
    try SystemProgram.run(
      "tar",
      [
        "-czf", packed, "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-C",
        folder.path, "data",
      ]
    )
    let content = try Data(contentsOf: URL(fileURLWithPath: packed))
    #expect(content.count <= Self.bytesMax, "\(name("tar.gz")): \(content.count) bytes")
    try content.write(to: URL(fileURLWithPath: FixtureFiles.path(name("tar.gz"))))
    try FixtureFiles.write(view, to: name("json"))
  }

  /// Unpacks it.
  ///
  /// - Returns: The folder that has the data folder, `data`.
  /// - Throws: `WaitingFailure`.
  func unpack() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try SystemProgram.run(
      "tar",
      ["-xzf", FixtureFiles.path(name("tar.gz")), "--no-same-owner", "-C", folder.path]
    )
    return folder
  }

  /// What clients saw, and how long ago.
  func view() throws -> (view: StoredContent.View, age: Duration) {
    try FixtureFiles.view(name("json"))
  }

  /// The number of the newest step that the database of a data folder has seen, which no server uses.
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
}

extension TemporaryFolder {
  /// Whether there is a file, or a folder.
  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}

#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import TidingsJSON

/// A database of an earlier version, as SQL, and what clients saw of it: `Fixtures/format-18.sql` and `.json`.
///
/// A new data format leaves the older ones here: whoever adds a step makes the fixture of the format before it, with the
/// last build that has that one (`TIDINGS_MAKE_FIXTURE=1 tools/test --filter StoreFixtureTests`).
struct StoreFixture {
  /// The number of the newest step that the database has seen.
  let format: Int64

  /// All that there are.
  static let all = [StoreFixture(format: 18), StoreFixture(format: 20)]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  private func path(_ suffix: String) -> String {
    Self.folder.appendingPathComponent("format-\(format).\(suffix)").path
  }

  /// Stores a database and what clients see of it.
  func write(database uri: String, _ view: StoredContent.View) throws {
    let dump = try run(
      "pg_dump",
      ["--no-owner", "--no-privileges", "--inserts", "--dbname=\(uri)"]
    )
    // Random words, which psql of an earlier version does not know.
    let lines = dump.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path("sql")))
    var members: [(String, JSONValue)] = [
      ("seconds", .integer(Int64(Date().timeIntervalSince1970))),
      ("tokens", .array(view.tokens.map { .string(Data($0).base64EncodedString()) })),
    ]
    members += view.answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    // A line for each.
    let text = members.map { "\(JSONValue.string($0.0)): \($0.1)" }.joined(separator: ",\n")
    try Data("{\n\(text)\n}\n".utf8).write(to: URL(fileURLWithPath: path("json")))
  }

  /// Makes the database again.
  ///
  /// - Returns: Its address.
  /// - Throws: `WaitingFailure`.
  func load() throws -> String {
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    _ = try run(
      "psql",
      [
        "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname=\(uri)",
        "--file=\(path("sql"))",
      ]
    )
    return uri
  }

  /// What clients saw, and how long ago.
  func view() throws -> (view: StoredContent.View, age: Duration) {
    let data = try Data(contentsOf: URL(fileURLWithPath: path("json")))
    let json = try JSONValue(parsing: [UInt8](data)).object
    guard let json, let seconds = json["seconds"]?.number?.exactly(Int64.self),
      let tokens = json["tokens"]?.array
    else { throw WaitingFailure(description: "not a fixture: \(path("json"))") }
    var view = StoredContent.View()
    view.tokens = tokens.map { [UInt8](Data(base64Encoded: $0.string ?? "") ?? Data()) }
    for member in json.members where member.name != "seconds" && member.name != "tokens" {
      view.answers[member.name] = member.value
    }
    return (view, .seconds(Int64(Date().timeIntervalSince1970) - seconds))
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    guard let path = Executable.path(program) else {
      throw WaitingFailure(description: "\(program) is not installed")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WaitingFailure(description: "\(program) has failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
#endif

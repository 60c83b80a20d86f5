internal import Foundation
internal import TestSupport
internal import TidingsJSON

/// The files of fixtures, in `Fixtures`: stores of earlier versions, and what clients saw of them.
enum FixtureFiles {
  /// Whether those of this data format are to be made.
  static let areMade = ProcessInfo.processInfo.environment["TIDINGS_MAKE_FIXTURE"] != nil

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// Where the file of a name is.
  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The data formats between two texts in the names of files, ascending.
  static func formats(_ prefix: String, _ suffix: String) -> [Int64] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
      .compactMap { Int64($0.dropFirst(prefix.count).dropLast(suffix.count)) }.sorted()
  }

  /// Writes what clients see of a store.
  static func write(_ view: StoredContent.View, to name: String) throws {
    var members: [(String, JSONValue)] = [
      ("seconds", .integer(Int64(Date().timeIntervalSince1970))),
      ("tokens", .array(view.tokens.map { .string(Data($0).base64EncodedString()) })),
    ]
    members += view.answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    // A line for each.
    let text = members.map { "\(JSONValue.string($0.0)): \($0.1)" }.joined(separator: ",\n")
    try Data("{\n\(text)\n}\n".utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  /// What clients saw, and how long ago.
  static func view(_ name: String) throws -> (view: StoredContent.View, age: Duration) {
    let data = try Data(contentsOf: URL(fileURLWithPath: path(name)))
    let json = try JSONValue(parsing: [UInt8](data)).object
    guard let json, let seconds = json["seconds"]?.number?.exactly(Int64.self),
      let tokens = json["tokens"]?.array
    else { throw WaitingFailure(description: "not a fixture: \(path(name))") }
    var view = StoredContent.View()
    view.tokens = tokens.map { [UInt8](Data(base64Encoded: $0.string ?? "") ?? Data()) }
    for member in json.members where member.name != "seconds" && member.name != "tokens" {
      view.answers[member.name] = member.value
    }
    return (view, .seconds(Int64(Date().timeIntervalSince1970) - seconds))
  }
}

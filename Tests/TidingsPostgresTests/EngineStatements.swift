internal import Foundation

/// The statements in the engine's sources, as far as they are literals.
struct EngineStatement {
  let file: String
  let line: Int
  let sql: String

  /// All statements in a folder of sources.
  static func all(in folder: String) throws -> [EngineStatement] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/" + folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
      let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      return literals(in: text).map { EngineStatement(file: path, line: $0.line, sql: $0.sql) }
    }
  }

  /// The literals that begin with a word of SQL, without those that contain values.
  private static func literals(in text: String) -> [(line: Int, sql: String)] {
    let literal =
      /"""\s*((?:SELECT|INSERT|UPDATE|DELETE|WITH)\s(?:[^"]|"(?!""))*)"""|"((?:SELECT|INSERT|UPDATE|DELETE|WITH)\s[^"\n]*)"/
    return text.matches(of: literal).compactMap { match in
      let sql = String(match.output.1 ?? match.output.2 ?? "")
      let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return sql.contains("\\(") ? nil : (line, sql.replacing("\\\n", with: ""))
    }
  }
}

/// The lines of types, fields, grants and roles in a schema's text.
struct SchemaLines {
  private var lines: [String: Int] = [:]

  /// Returns the line of a subject, from 1; for a field without a line of its own that of its type.
  subscript(subject: String) -> Int? {
    lines[subject] ?? subject.firstIndex(of: ".").flatMap { lines[String(subject[..<$0])] }
  }

  /// Scans the text of a valid schema.
  init(_ text: String) {
    var type: String?
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = Self.words(line)
      let first = words.first?.uppercased()
      if words.count > 2, first == "CREATE" {
        lines["ROLE \(words[2])"] = index + 1
      } else if words.count > 2, first == "RECORD" {
        type = words[2]
        lines[words[2]] = index + 1
      } else if let type, let name = words.first, first != "GRANT" {
        if lines["\(type).\(name)"] == nil { lines["\(type).\(name)"] = index + 1 }
      } else if let type, first == "GRANT", let role = words.last {
        if lines["\(type) GRANT TO \"\(role)\""] == nil {
          lines["\(type) GRANT TO \"\(role)\""] = index + 1
        }
      }
    }
  }

  /// Returns the words of a line, without comments and quotes.
  private static func words(_ line: Substring) -> [String] {
    var code = line
    for mark in ["//", "--"] {
      if let comment = code.firstRange(of: mark) { code = code[..<comment.lowerBound] }
    }
    return code.split { $0.isWhitespace || "(),;".contains($0) }
      .map { $0.filter { $0 != "\"" } }
  }
}

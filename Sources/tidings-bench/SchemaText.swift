/// Changes the text of a schema.
enum SchemaText {
  /// Lets fields of all types be queryable, or not.
  ///
  /// - Parameters:
  ///   - fields: Their names.
  ///   - text: The schema as the server wrote it: a line for each field, `NAME TYPE` and options.
  ///   - isQueryable: Whether they have an index.
  /// - Returns: The text with their options changed.
  static func declaring(_ fields: Set<String>, in text: String, isQueryable: Bool) -> String {
    text.split(separator: "\n").map { line -> String in
      let words = line.split(whereSeparator: { " ,".contains($0) })
      guard words.count > 1, fields.contains(String(words[0])) else { return String(line) }
      let options =
        words.dropFirst(2).filter { $0 != "QUERYABLE" } + (isQueryable ? ["QUERYABLE"] : [])
      return (words.prefix(2) + options).joined(separator: " ") + (line.hasSuffix(",") ? "," : "")
    }
    .joined(separator: "\n")
  }
}

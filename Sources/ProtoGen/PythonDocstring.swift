/// A comment of a .proto file as a Python docstring.
enum PythonDocstring {
  /// The lines of the docstring with its quotes; a single line stays one.
  static func lines(_ comment: [String]) -> [String] {
    var lines = comment.map { escaped($0) }
    guard let first = lines.first else { return [] }
    lines[0] = "\"\"\"" + first
    guard lines.count > 1 else {
      // A quote at the end would be one of four.
      return [lines[0] + (first.hasSuffix("\"") ? " " : "") + "\"\"\""]
    }
    return lines + ["\"\"\""]
  }

  private static func escaped(_ line: String) -> String {
    var text = ""
    var quotes = 0
    for character in line {
      quotes = character == "\"" ? quotes + 1 : 0
      if character == "\\" || quotes == 3 { text += "\\" }
      if quotes == 3 { quotes = 0 }
      text.append(character)
    }
    return text
  }
}

/// The names of Python modules, classes and functions.
enum PythonNames {
  /// The module with a file's messages, which protoc's own generator writes:
  /// `tidings/v1/record.proto` → `tidings.v1.record_pb2`.
  static func messageModule(_ file: String) -> String {
    path(file).split(separator: "/").joined(separator: ".") + "_pb2"
  }

  /// The generated file with a file's services: `tidings/v1/record_service.proto` →
  /// `tidings/v1/record_service_rpc.py`.
  static func serviceFile(_ file: String) -> String { path(file) + "_rpc.py" }

  /// A function for a method: `ModifyRecords` → `modify_records`, `FetchURLs` → `fetch_urls`.
  static func function(_ method: String) -> String {
    let letters = Array(method)
    var name = ""
    for (index, letter) in letters.enumerated() {
      let follows = index > 0 && letters[index - 1] != "_"
      let endsWord = follows && !letters[index - 1].isUppercase
      let isNextLower = index + 1 < letters.count && letters[index + 1].isLowercase
      // The plural of an acronym belongs to it: `IDs`.
      let isPlural =
        isNextLower && letters[index + 1] == "s"
        && (index + 2 == letters.count || letters[index + 2].isUppercase)
      if letter.isUppercase, endsWord || (follows && isNextLower && !isPlural) { name += "_" }
      name += letter.lowercased()
    }
    return keywords.contains(name) || reserved.contains(name) ? name + "_" : name
  }

  /// The constant that describes a method: `ModifyRecords` → `MODIFY_RECORDS`.
  static func constant(_ method: String) -> String {
    let name = function(method)
    return (name.hasSuffix("_") ? String(name.dropLast()) : name).uppercased()
  }

  /// Whether a class or module of this name cannot be written down.
  static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

  /// protoc's generator makes underscores of what a module's name cannot have.
  private static func path(_ file: String) -> String {
    let path = file.hasSuffix(".proto") ? file.dropLast(6) : file[...]
    return String(path.map { $0 == "-" ? "_" : $0 })
  }

  /// What a generated class has anyway.
  private static let reserved: Set<String> = ["self", "name", "methods"]

  private static let keywords: Set<String> = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
  ]
}

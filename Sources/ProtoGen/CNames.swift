/// The names that protoc-gen-c gives, as Swift sees them.
enum CNames {
  /// The struct of a message: `tidings.v1.RecordID` → `Tidings__V1__RecordID`.
  static func type(_ fullName: String) -> String {
    fullName.split(separator: ".").map { camel($0) }.joined(separator: "__")
  }

  /// The prefix of a message's functions: `tidings.v1.RecordID` → `tidings__v1__record_id`.
  static func functionPrefix(_ fullName: String) -> String {
    fullName.split(separator: ".").map { lower($0) }.joined(separator: "__")
  }

  /// The member of a field.
  static func member(_ field: String) -> String {
    let lowered = String(field.map { $0.isUppercase ? Character($0.lowercased()) : $0 })
    if keywords.contains(lowered) { return lowered + "_" }
    return swiftKeywords.contains(lowered) ? "`\(lowered)`" : lowered
  }

  /// The member that counts a repeated field.
  static func count(_ field: String) -> String { "n_" + member(field).filter { $0 != "`" } }

  /// The member that shows which member of a oneof is set; its values are field numbers.
  static func oneofCase(_ oneof: String) -> String { lower(oneof[...]) + "_case" }

  private static func camel(_ text: Substring) -> String {
    var result = ""
    var startsWord = true
    for character in text {
      if character == "_" {
        startsWord = true
      } else {
        result += startsWord ? character.uppercased() : String(character)
        startsWord = false
      }
    }
    return result
  }

  private static func lower(_ text: Substring) -> String {
    var result = ""
    var followsUpper = true
    for character in text {
      if character.isUppercase && !followsUpper { result += "_" }
      result += character.lowercased()
      followsUpper = character.isUppercase
    }
    return result
  }

  /// Names that Swift does not take for a member's, even after a dot.
  private static let swiftKeywords: Set<String> = ["init", "self"]

  private static let keywords: Set<String> = [
    "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "const", "const_cast", "continue", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "not_eq", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "return", "short",
    "signed", "sizeof", "static", "static_cast", "struct", "switch", "template", "this", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
  ]
}

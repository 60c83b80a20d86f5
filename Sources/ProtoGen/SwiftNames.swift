/// The names of Swift declarations.
enum SwiftNames {
  /// The namespace of a package: `tidings.rpc.v1` → `TidingsRpcV1`; `nil` without a package.
  static func namespace(_ package: String) -> String? {
    package.isEmpty ? nil : words(package, separatedBy: "._").map { capitalized($0) }.joined()
  }

  /// A property, case or argument for a field: `zone_id` → `zoneID`.
  static func property(_ field: String) -> String {
    let words = words(field, separatedBy: "_")
    guard let first = words.first else { return "_" }
    let name = lowercasedFirst(first) + words.dropFirst().map { acronym($0) }.joined()
    return reservedProperties.contains(name) ? name + "_" : name
  }

  /// The enum of a oneof: `first_choice` → `FirstChoice`.
  static func oneofType(_ oneof: String) -> String {
    words(oneof, separatedBy: "_").map { capitalized($0) }.joined()
  }

  /// A nested type keeps its name, unless generated code needs the name itself.
  static func type(_ name: String) -> String {
    reservedTypes.contains(name) ? name + "_" : name
  }

  /// A function for a method: `ModifyRecords` → `modifyRecords`.
  static func method(_ name: String) -> String {
    // `URLOf` → `urlOf`: the first word is lower-cased as a whole.
    let upper = name.prefix { $0.isUppercase }.count
    let isWord = upper <= 1 || upper == name.count
    let count = isWord ? max(upper, 1) : upper - 1
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }

  /// A constant for an enum's value, without the prefix that repeats the enum's name:
  /// `DATABASE_SCOPE_PUBLIC` of `DatabaseScope` → `public`.
  static func constant(_ value: String, of enumName: String) -> String {
    let rest = withoutPrefix(value, enumName)
    let words = words(rest, separatedBy: "_").map { $0.lowercased() }
    guard let first = words.first else { return "_" }
    let name = first + words.dropFirst().map { acronym($0) }.joined()
    if name.first?.isNumber == true { return "_" + name }
    return reservedConstants.contains(name) ? name + "_" : name
  }

  /// A static property for a file: `tidings/v1/record.proto` → `tidingsV1RecordProto`.
  static func fileDescriptor(_ path: String) -> String {
    let words = path.split { !($0.isLetter || $0.isNumber) }
    return words.prefix(1).map { lowercasedFirst(String($0)) }.joined()
      + words.dropFirst().map { capitalized(String($0)) }.joined()
  }

  /// The name in backticks if it is a keyword.
  static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static func words(_ text: String, separatedBy separators: String) -> [String] {
    text.split { separators.contains($0) }.map { String($0) }
  }

  private static func acronym(_ word: String) -> String {
    switch word {
    case "id": "ID"
    case "ids": "IDs"
    case "url": "URL"
    case "urls": "URLs"
    default: capitalized(word)
    }
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func lowercasedFirst(_ word: String) -> String {
    word.prefix(1).lowercased() + word.dropFirst()
  }

  /// Compares without underscores, since `RecordIDKind` may be `RECORD_ID_KIND` or `RECORD_IDKIND`.
  private static func withoutPrefix(_ value: String, _ enumName: String) -> String {
    var expected = enumName.filter { $0 != "_" }.uppercased()[...]
    var rest = value[...]
    while let next = expected.first {
      while rest.first == "_" { rest.removeFirst() }
      guard rest.first == next else { return value }
      rest.removeFirst()
      expected.removeFirst()
    }
    return rest.first == "_" && rest.contains { $0 != "_" } ? String(rest) : value
  }

  /// Members that generated structs have anyway, and names that a property cannot have.
  private static let reservedProperties: Set<String> = [
    "encoded", "hash", "hashValue", "init", "packed", "self",
  ]

  /// Members that generated enums have anyway, and names that Swift keeps even after a dot.
  private static let reservedConstants: Set<String> = [
    "allCases", "description", "hashValue", "init", "rawValue", "self",
  ]

  /// Types that generated code names without a module.
  private static let reservedTypes: Set<String> = [
    "Bool", "Double", "FieldNumber", "Float", "Hashable", "Int", "Int32", "Int64", "Never",
    "Optional", "Protocol",
    "RawRepresentable", "CaseIterable", "CustomStringConvertible", "RawSpan", "Self", "Sendable",
    "String", "Type", "UInt32", "UInt64", "UInt8", "UnsafeMutableRawPointer", "UnsafeRawPointer",
  ]

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "false",
    "fallthrough", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}

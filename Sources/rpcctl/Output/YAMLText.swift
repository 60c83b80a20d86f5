internal import TidingsJSON

/// Values as YAML 1.2 in block style; strings that could be read as another type are quoted.
enum YAMLText {
  /// A document, ending in a line break.
  static func document(_ value: JSONValue) -> String {
    if let scalar = scalar(value) { return scalar + "\n" }
    return lines(value).joined(separator: "\n") + "\n"
  }

  /// An element of a list, ending in a line break.
  static func element(_ value: JSONValue) -> String {
    lines(.array([value])).joined(separator: "\n") + "\n"
  }

  /// A value on one line; `nil`: it needs several.
  private static func scalar(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): isPlain(text) ? text : value.description
    case .array(let list): list.isEmpty ? "[]" : nil
    case .object(let object): object.members.isEmpty ? "{}" : nil
    default: value.description
    }
  }

  private static func lines(_ value: JSONValue) -> [String] {
    if let list = value.array {
      return list.flatMap { element in
        guard scalar(element) == nil else { return ["- \(scalar(element) ?? "")"] }
        return lines(element).enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
      }
    }
    return (value.object?.members ?? []).flatMap { member in
      let name = isPlain(member.name) ? member.name : JSONValue.string(member.name).description
      if let scalar = scalar(member.value) { return ["\(name): \(scalar)"] }
      return ["\(name):"] + lines(member.value).map { "  " + $0 }
    }
  }

  /// Words that YAML 1.1 or 1.2 reads as a truth value or as null.
  private static let words: Set<String> = [
    "true", "false", "yes", "no", "on", "off", "y", "n", "null",
  ]

  /// Whether the text can only be read as a string.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), !words.contains(text.lowercased()) else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }
}

internal import CommandLineTools
internal import TidingsJSON

/// The members of results that `--fields` names, in its order.
struct FieldSelection: Hashable, Sendable {
  /// The names as written: `recordName`, `fields.price`.
  let names: [String]

  /// Reads `a,b.c`.
  init(_ text: String) throws(UsageError) {
    names = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    guard !names.contains("") else {
      throw UsageError("invalid --fields '\(text)': use names like recordName,fields.price")
    }
  }

  /// Returns the members of a result, null where it has none; always includes an error.
  func select(from value: JSONValue) -> JSONValue {
    guard value.object != nil else { return value }
    var object = JSONObject()
    for name in names { object.append(name, Self.value(name, of: value) ?? .null) }
    if let error = value.object?["error"], !names.contains("error") {
      object.append("error", error)
    }
    return .object(object)
  }

  /// Returns the value at a path; for a record's own fields `fields.` is optional.
  static func value(_ path: String, of value: JSONValue) -> JSONValue? {
    follow(path[...], value) ?? value.object?["fields"].flatMap { follow(path[...], $0) }
  }

  private static func follow(_ path: Substring, _ value: JSONValue) -> JSONValue? {
    if path.isEmpty { return value }
    if let list = value.array {
      let found = list.compactMap { follow(path, $0) }
      return found.isEmpty ? nil : .array(found)
    }
    guard let object = value.object else { return nil }
    if let member = object[String(path)] { return member }
    guard let dot = path.firstIndex(of: "."), let member = object[String(path[..<dot])] else {
      return nil
    }
    return follow(path[path.index(after: dot)...], member)
  }

  /// Returns the paths of a result, for messages.
  static func paths(of value: JSONValue) -> [String] { flattened(value).map(\.name) }

  /// Returns the members of a result as paths (`fields.price`) and values.
  ///
  /// Lists are not flattened.
  static func flattened(
    _ value: JSONValue,
    _ prefix: String = ""
  ) -> [(name: String, value: JSONValue)] {
    guard let object = value.object, !object.members.isEmpty else {
      return [(prefix.isEmpty ? "value" : prefix, value)]
    }
    return object.members.flatMap { member in
      flattened(member.value, prefix.isEmpty ? member.name : "\(prefix).\(member.name)")
    }
  }
}

package import TidingsJSON

/// An object of a request, with the path to it, which errors name.
///
/// `null` is the same as no member.
package struct WebInput {
  package let object: JSONObject
  /// For example `operations[2].record`; empty: the request itself.
  package let path: String

  package init(_ object: JSONObject, at path: String = "") {
    (self.object, self.path) = (object, path)
  }

  /// The path to a member.
  package func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// A member as it is.
  package subscript(name: String) -> JSONValue? {
    if let value = object[name], value != .null { value } else { nil }
  }

  /// Refuses members that are not known.
  package func check(_ members: WebMembers) throws(WebFailure) {
    for member in object.members {
      if members.read.contains(member.name) || members.ignored.contains(member.name) { continue }
      if case .null = member.value { continue }
      let known = members.read.isEmpty ? "none is" : members.read.joined(separator: ", ") + " are"
      throw .badForm(
        "\(path(to: member.name)) is not known and would have no effect: remove it; \(known) known"
      )
    }
  }

  package func string(_ name: String) throws(WebFailure) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw wrong(name, value, "a string") }
    return text
  }

  /// A string that must be there, and not empty.
  package func requiredString(_ name: String) throws(WebFailure) -> String {
    guard let text = try string(name), !text.isEmpty else { throw missing(name) }
    return text
  }

  package func bool(_ name: String) throws(WebFailure) -> Bool? {
    guard let value = self[name] else { return nil }
    switch value {
    case .bool(let flag): return flag
    case .number(let number) where number.exactly(Int.self) == 0: return false
    case .number(let number) where number.exactly(Int.self) == 1: return true
    case .string("true"): return true
    case .string("false"): return false
    default: throw wrong(name, value, "true or false")
    }
  }

  /// A whole number of a range.
  package func integer(
    _ name: String,
    in range: ClosedRange<Int>
  ) throws(WebFailure) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.number?.exactly(Int.self), range ~= number else {
      throw wrong(name, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func object(_ name: String) throws(WebFailure) -> WebInput? {
    guard let value = self[name] else { return nil }
    guard let object = value.object else { throw wrong(name, value, "an object") }
    return WebInput(object, at: path(to: name))
  }

  package func requiredObject(_ name: String) throws(WebFailure) -> WebInput {
    guard let input = try object(name) else { throw missing(name) }
    return input
  }

  package func array(_ name: String) throws(WebFailure) -> [JSONValue]? {
    guard let value = self[name] else { return nil }
    guard let array = value.array else { throw wrong(name, value, "an array") }
    return array
  }

  /// The objects of an array; none if there is no such member.
  package func objects(
    _ name: String,
    atMost countMax: Int = WebLimits.itemsMax
  ) throws(WebFailure) -> [WebInput] {
    let array = try array(name) ?? []
    guard array.count <= countMax else {
      throw .badRequest(
        "\(path(to: name)) has \(array.count) entries and may have \(countMax): send several requests"
      )
    }
    var inputs: [WebInput] = []
    inputs.reserveCapacity(array.count)
    for (index, value) in array.enumerated() {
      let position = "\(path(to: name))[\(index)]"
      guard let object = value.object else {
        throw .badRequest("\(position) is \(value.kindDescription), not an object")
      }
      inputs.append(WebInput(object, at: position))
    }
    return inputs
  }

  /// The strings of an array; `nil` if there is no such member.
  package func strings(_ name: String) throws(WebFailure) -> [String]? {
    guard let array = try array(name) else { return nil }
    var strings: [String] = []
    strings.reserveCapacity(array.count)
    for (index, value) in array.enumerated() {
      guard let text = value.string else {
        throw .badRequest("\(path(to: name))[\(index)] is \(value.kindDescription), not a string")
      }
      strings.append(text)
    }
    return strings
  }

  /// Bytes as base64: tokens and markers.
  package func base64(_ name: String) throws(WebFailure) -> [UInt8] {
    guard let text = try string(name) else { return [] }
    guard let bytes = Base64.decode(text) else {
      throw .badRequest("\(path(to: name)) is not base64: send what an answer gave you, unchanged")
    }
    return bytes
  }

  package func missing(_ name: String) -> WebFailure {
    .badRequest("\(path(to: name)) is missing")
  }

  package func wrong(_ name: String, _ value: JSONValue, _ expected: String) -> WebFailure {
    .badRequest("\(path(to: name)) is \(value.shown), not \(expected)")
  }
}

extension JSONValue {
  /// The value for messages: numbers as they were sent, of everything else the kind.
  var shown: String {
    if let number { String(number.literal.prefix(40)) } else { kindDescription }
  }
}

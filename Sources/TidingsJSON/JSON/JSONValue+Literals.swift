extension JSONValue: ExpressibleByDictionaryLiteral {
  /// An object from its members, in order; a name must not appear twice.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object.append(name, value) }
    self = .object(object)
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}

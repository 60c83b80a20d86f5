/// A JSON value, in which numbers keep their digits and objects the order of their members.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// A whole number.
  public static func integer(_ value: some BinaryInteger & CustomStringConvertible) -> Self {
    .number(JSONNumber(value))
  }

  /// A finite number; with a fraction or an exponent, so that it is read back as one.
  public static func double(_ value: Double) -> Self { .number(JSONNumber(value)) }

  /// An object from its members, in order; those that are `nil` are left out.
  public static func omittingNil(_ members: KeyValuePairs<String, JSONValue?>) -> Self {
    var object = JSONObject()
    for (name, value) in members {
      if let value { object.append(name, value) }
    }
    return .object(object)
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The members, if this is an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The number, if this is one.
  public var number: JSONNumber? {
    if case .number(let number) = self { number } else { nil }
  }

  /// What kind of value this is, for messages, for example `an object`.
  public var kindDescription: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The members of a JSON object, in order.
public struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One member.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONValue
  }

  /// In the order of the text.
  public private(set) var members: [Member]

  /// No members.
  public init() { members = [] }

  /// No members, with room for so many.
  public init(capacity: Int) {
    members = []
    members.reserveCapacity(capacity)
  }

  /// Members from a literal; a name must not appear twice.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(capacity: elements.count)
    for (name, value) in elements { append(name, value) }
  }

  /// Adds a member, whose name must be new.
  public mutating func append(_ name: String, _ value: JSONValue) {
    members.append(Member(name: name, value: value))
  }

  /// The value of a member; setting replaces it in place or adds it, `nil` removes it.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): append(name, value)
      case (nil, nil): break
      }
    }
  }
}

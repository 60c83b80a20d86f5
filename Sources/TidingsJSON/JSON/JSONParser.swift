/// Reads JSON as RFC 8259 has it: strict, with a bound on depth, and no name twice in an object.
struct JSONParser {
  /// The deepest nesting of arrays and objects.
  static let depthMax = 100

  private let text: [UInt8]
  private let valuesMax: Int
  private var valueCount = 0
  private var index = 0

  init(_ text: [UInt8], valuesMax: Int = .max) { (self.text, self.valuesMax) = (text, valuesMax) }

  /// Reads the next value and what separates it from the one after it.
  mutating func value() throws(JSONSyntaxError) -> JSONValue {
    skipSpace()
    let value = try value(depth: 1)
    skipSpace()
    return value
  }

  /// All is read.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return index == text.count
  }

  func error(_ reason: String) -> JSONSyntaxError {
    JSONSyntaxError(reason, at: index, in: text)
  }

  private var next: UInt8? { index < text.count ? text[index] : nil }

  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    guard valueCount < valuesMax else { throw error("there are more than \(valuesMax) values") }
    valueCount += 1
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return .number(try number())
    case UInt8(ascii: "t") where skip("true"): return .bool(true)
    case UInt8(ascii: "f") where skip("false"): return .bool(false)
    case UInt8(ascii: "n") where skip("null"): return .null
    case nil: throw error("a value is missing")
    default: throw error("expected a value")
    }
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
    try enter(depth)
    var object = JSONObject()
    var names = MemberNames()
    if take("}") { return object }
    repeat {
      skipSpace()
      let start = index
      guard next == UInt8(ascii: "\"") else { throw error("expected a member's name") }
      let name = try string()
      guard names.insert(name) else {
        throw JSONSyntaxError("the name '\(name)' appears twice", at: start, in: text)
      }
      guard take(":") else { throw error("expected ':'") }
      skipSpace()
      object.append(name, try value(depth: depth + 1))
    } while take(",")
    guard take("}") else { throw error("expected ',' or '}'") }
    return object
  }

  private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
    try enter(depth)
    var array: [JSONValue] = []
    if take("]") { return array }
    repeat {
      skipSpace()
      array.append(try value(depth: depth + 1))
    } while take(",")
    guard take("]") else { throw error("expected ',' or ']'") }
    return array
  }

  private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
    guard depth <= Self.depthMax else {
      throw error("values are nested more than \(Self.depthMax) deep")
    }
    index += 1
  }

  private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    if next == UInt8(ascii: "0") {
      index += 1
      if isDigit(next) { throw error("a number must not begin with 0") }
    } else {
      try digits()
    }
    if next == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    return JSONNumber(checked: String(decoding: text[start..<index], as: UTF8.self))
  }

  private mutating func digits() throws(JSONSyntaxError) {
    guard isDigit(next) else { throw error("expected a digit") }
    while isDigit(next) { index += 1 }
  }

  private func isDigit(_ byte: UInt8?) -> Bool {
    if let byte { byte >= 0x30 && byte <= 0x39 } else { false }
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  /// Skips space and a character; `false` leaves the character that is there instead.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skip(_ word: String) -> Bool {
    guard text[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }
}

/// The names of an object so far.
///
/// By bytes, because Swift holds differently composed strings for equal.
private struct MemberNames {
  private var few: [String] = []
  private var many: Set<[UInt8]> = []

  private static let fewMax = 8

  /// - Returns: `false` when the name is there.
  mutating func insert(_ name: String) -> Bool {
    guard few.count == Self.fewMax else {
      guard !few.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return false }
      few.append(name)
      if few.count == Self.fewMax { many = Set(few.map { Array($0.utf8) }) }
      return true
    }
    return many.insert(Array(name.utf8)).inserted
  }
}

extension JSONParser {
  private mutating func string() throws(JSONSyntaxError) -> String {
    index += 1
    let start = index
    // Most strings have no escapes: find the end, then validate at once.
    var isASCII = true
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      isASCII = isASCII && byte < 0x80
      index += 1
    }
    if next == UInt8(ascii: "\""),
      let string = isASCII
        ? String(decoding: text[start..<index], as: UTF8.self)
        : String(validating: text[start..<index], as: UTF8.self)
    {
      index += 1
      return string
    }
    var content = Array(text[start..<index])
    while true {
      switch next {
      case UInt8(ascii: "\""):
        guard let string = String(validating: content, as: UTF8.self) else {
          throw JSONSyntaxError("a string is not UTF-8", at: start, in: text)
        }
        index += 1
        return string
      case UInt8(ascii: "\\"): content += Array(String(try escape()).utf8)
      case let byte? where byte >= 0x20:
        content.append(byte)
        index += 1
      case nil: throw error("a string does not end")
      default: throw error("a control character must be escaped in a string")
      }
    }
  }

  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let start = index
    index += 1
    defer { index += 1 }
    switch next {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw JSONSyntaxError("an unknown escape in a string", at: start, in: text)
    }
    let unit = try hexadecimal()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, index + 2 < text.count, text[index + 1] == UInt8(ascii: "\\"),
      text[index + 2] == UInt8(ascii: "u")
    else { throw JSONSyntaxError("half a surrogate pair in a string", at: start, in: text) }
    index += 2
    let low = try hexadecimal()
    guard 0xDC00...0xDFFF ~= low,
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
    else { throw JSONSyntaxError("half a surrogate pair in a string", at: start, in: text) }
    return scalar
  }

  /// Reads the four digits behind the `u` at the index, and stays on the last.
  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt16 {
    let digits = text[(index + 1)...].prefix(4)
    var unit: UInt16 = 0
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else {
        throw error("\\u takes four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(value)
    }
    guard digits.count == 4 else { throw error("\\u takes four hexadecimal digits") }
    index += 4
    return unit
  }
}

extension JSONValue {
  /// Reads one value.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - valuesMax: Most values in it, the elements and members of others included.
  /// - Throws: An error that names line and column.
  public init(parsing text: [UInt8], valuesMax: Int = .max) throws(JSONSyntaxError) {
    var parser = JSONParser(text, valuesMax: valuesMax)
    self = try parser.value()
    guard parser.isAtEnd() else { throw parser.error("unexpected text after the value") }
  }

  /// Reads one value.
  public init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8))
  }

  /// Reads values that stand behind each other: JSON lines, or any text with several values.
  public static func sequence(parsing text: [UInt8]) throws(JSONSyntaxError) -> [JSONValue] {
    var parser = JSONParser(text)
    var values: [JSONValue] = []
    while !parser.isAtEnd() { values.append(try parser.value()) }
    return values
  }
}

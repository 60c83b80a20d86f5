/// Reads a predicate's text byte by byte: white space, symbols, words, numbers and strings.
///
/// What a `<` means depends on whether an operator or a value may stand there, so there are no
/// tokens: the parser asks for what it expects.
struct PredicateScanner {
  let text: [UInt8]
  private(set) var position = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The next byte.
  var next: UInt8? { position < text.count ? text[position] : nil }

  func error(_ message: String, at offset: Int? = nil) -> PredicateError {
    PredicateError(message, in: text, at: offset ?? position)
  }

  /// An error that says what was expected and what stands there.
  func expected(_ what: String) -> PredicateError { error("expected \(what), found \(found)") }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
  }

  /// Whether a symbol stands here.
  func isNext(_ symbol: StaticString) -> Bool {
    let end = position + symbol.utf8CodeUnitCount
    guard end <= text.count else { return false }
    return symbol.withUTF8Buffer { text[position..<end].elementsEqual($0) }
  }

  /// Skips a symbol if it stands here.
  mutating func take(_ symbol: StaticString) -> Bool {
    guard isNext(symbol) else { return false }
    position += symbol.utf8CodeUnitCount
    return true
  }

  /// The name or word that stands here; `nil` when none does.
  var word: String? {
    guard let first = next, first.isASCIILetter || first == UInt8(ascii: "_") else { return nil }
    return String(decoding: text[position...].prefix(while: \.isIdentifierByte), as: UTF8.self)
  }

  /// The word of the language that stands here.
  var keyword: PredicateWord? { word.flatMap { PredicateWord(rawValue: $0.uppercased()) } }

  /// Skips one byte.
  mutating func advance() { position += 1 }

  mutating func skip(_ word: String) { position += word.utf8.count }

  /// Skips a word of the language if it stands here.
  mutating func take(_ keyword: PredicateWord) -> Bool {
    // Asked for at every step, so without making a string.
    var end = position
    for byte in keyword.rawValue.utf8 {
      guard end < text.count, text[end] & 0xdf == byte, text[end].isASCIILetter else {
        return false
      }
      end += 1
    }
    if end < text.count, text[end].isIdentifierByte { return false }
    position = end
    return true
  }

  /// A number, with its sign.
  mutating func number() throws(PredicateError) -> FieldValue {
    let start = position
    if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
    let hasWhole = skipDigits()
    var isWhole = true
    if take(".") {
      isWhole = false
      let hasFraction = skipDigits()
      guard hasWhole || hasFraction else { throw expected("a digit") }
    } else if !hasWhole {
      throw expected("a digit")
    }
    let mantissa = text[start..<position]
    if next.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
      guard skipDigits() else { throw expected("a digit of the exponent") }
    }
    guard next?.isIdentifierByte != true, next != UInt8(ascii: ".") else {
      throw error("expected the end of the number, found \(found); hexadecimal is not supported")
    }
    let digits = String(decoding: text[start..<position], as: UTF8.self)
    return try isWhole ? whole(digits, at: start) : fraction(digits, mantissa, at: start)
  }

  /// A string in single or double quotes.
  mutating func quoted() throws(PredicateError) -> String {
    let start = position
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw expected("a string in quotes")
    }
    position += 1
    var bytes: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case quote: return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): try appendEscaped(to: &bytes)
      default: bytes.append(byte)
      }
    }
    let mark = quote == UInt8(ascii: "'") ? "'" : "\""
    throw error("the string has no closing \(mark)", at: start)
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while next?.isASCIIDigit == true { position += 1 }
    return position > start
  }

  private func whole(_ digits: String, at start: Int) throws(PredicateError) -> FieldValue {
    guard let value = Int64(digits) else {
      throw error(
        "the integer is outside \(Int64.min) to \(Int64.max); write it with a decimal point to "
          + "compare approximately",
        at: start
      )
    }
    return .int64(value)
  }

  private func fraction(
    _ digits: String,
    _ mantissa: ArraySlice<UInt8>,
    at start: Int
  ) throws(PredicateError) -> FieldValue {
    let isZero = !mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    guard let value = Double(digits), value.isFinite, isZero || value != 0 else {
      throw error("the number is outside the range of a double", at: start)
    }
    return .double(value)
  }

  private mutating func appendEscaped(to bytes: inout [UInt8]) throws(PredicateError) {
    let start = position - 1
    guard let byte = next else { throw error("expected a character after \\", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): bytes.append(byte)
    case UInt8(ascii: "n"): bytes.append(0x0a)
    case UInt8(ascii: "r"): bytes.append(0x0d)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try escapedScalar(from: start)
      bytes.append(contentsOf: String(Character(scalar)).utf8)
    default:
      throw error(
        #"expected one of \\ \" \' \n \r \t \uXXXX \u{X…} here, found another escape"#,
        at: start
      )
    }
  }

  /// Four hexadecimal digits, or one to eight in braces.
  private mutating func escapedScalar(from start: Int) throws(PredicateError) -> Unicode.Scalar {
    let hasBraces = take("{")
    let digits = text[position...].prefix(hasBraces ? 8 : 4).prefix {
      $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
    }
    position += digits.count
    let isComplete = hasBraces ? take("}") : digits.count == 4
    guard isComplete, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw error(#"expected four hexadecimal digits after \u, or some in braces"#, at: start)
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw error("there is no character with this number; write a pair as one \\u{…}", at: start)
    }
    return scalar
  }

  /// What stands here, for messages.
  private var found: String {
    if position >= text.count { return "the end of the text" }
    if let word {
      let shownCountMax = 40
      return word.count > shownCountMax ? "'\(word.prefix(shownCountMax))…'" : "'\(word)'"
    }
    let rest = String(decoding: text[position..<min(position + 32, text.count)], as: UTF8.self)
    guard let character = rest.first, character.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
    else { return "a control character" }
    return "'\(character)'"
  }
}

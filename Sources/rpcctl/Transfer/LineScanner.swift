/// Parses simple JSON in place, without creating values.
///
/// For the lines of large files. Every function returns `nil` or `false` for any other JSON; the
/// caller then uses `JSONValue`, which also reports errors.
struct LineScanner {
  let text: [UInt8]
  private(set) var index: Int
  private let end: Int
  /// All bytes of strings, joined by OR: below 0x80 they are ASCII.
  private(set) var joined: UInt8 = 0

  init(_ text: [UInt8], _ range: Range<Int>) {
    self.text = text
    index = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next byte after white space.
  mutating func peek() -> UInt8? {
    while index < end {
      let byte = text[index]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D else { return byte }
      index += 1
    }
    return nil
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  mutating func takeWord(_ word: StaticString) -> Bool {
    guard index + word.utf8CodeUnitCount <= end,
      matches(index..<(index + word.utf8CodeUnitCount), word)
    else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  /// Parses a string without escapes, and returns its content.
  mutating func string() -> Range<Int>? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = index
    while index < end {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return start..<(index - 1)
      }
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
      joined |= byte
      index += 1
    }
    return nil
  }

  /// A number.
  enum Number {
    case whole(Int64)
    /// One with a fraction or an exponent.
    case double(Double)
  }

  /// Parses a number of at most 18 digits, or one with a fraction or an exponent.
  mutating func number() -> Number? {
    let start = index
    let isNegative = take(UInt8(ascii: "-"))
    let digitsStart = index
    var value: Int64 = 0
    while let digit = digit() {
      guard index - digitsStart <= 18 else { return nil }
      value = value * 10 + Int64(digit)
    }
    let count = index - digitsStart
    guard count > 0, count == 1 || text[digitsStart] != UInt8(ascii: "0") else { return nil }
    let next = index < end ? text[index] : 0
    guard next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") else {
      return .whole(isNegative ? -value : value)
    }
    if next == UInt8(ascii: ".") {
      index += 1
      guard digit() != nil else { return nil }
      while digit() != nil {}
    }
    if index < end, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < end, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
        index += 1
      }
      guard digit() != nil else { return nil }
      while digit() != nil {}
    }
    guard let double = Double(String(decoding: text[start..<index], as: UTF8.self)),
      double.isFinite
    else { return nil }
    return .double(double)
  }

  private mutating func digit() -> UInt8? {
    guard index < end else { return nil }
    let digit = text[index] &- 0x30
    guard digit < 10 else { return nil }
    index += 1
    return digit
  }

  /// Returns the text of any object or array, without validating it.
  mutating func nested() -> Range<Int>? {
    guard let first = peek(), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    let start = index
    var depth = 0
    while index < end {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          index += 1
          return start..<index
        }
      case UInt8(ascii: "\""):
        guard string() != nil else { return nil }
        continue
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Parses an object whose members are strings.
  mutating func takeTexts() -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    repeat {
      guard string() != nil, take(UInt8(ascii: ":")), string() != nil else { return false }
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}"))
  }

  /// Returns whether only white space is left.
  mutating func isAtEnd() -> Bool { peek() == nil }

  /// Returns whether a part of the text equals a word.
  func matches(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return text.withUnsafeBufferPointer { bytes in
      word.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
    }
  }
}

/// Writes JSON.
private struct JSONPrinter {
  var text: [UInt8] = []
  let isPretty: Bool

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: append("null")
    case .bool(let bool): append(bool ? "true" : "false")
    case .number(let number): append(number.literal)
    case .string(let string): write(string)
    case .array(let elements):
      writeList(elements, UInt8(ascii: "["), UInt8(ascii: "]"), depth) {
        $0.write($1, depth: depth + 1)
      }
    case .object(let object):
      writeList(object.members, UInt8(ascii: "{"), UInt8(ascii: "}"), depth) { printer, member in
        printer.write(member.name)
        printer.text.append(UInt8(ascii: ":"))
        if printer.isPretty { printer.text.append(UInt8(ascii: " ")) }
        printer.write(member.value, depth: depth + 1)
      }
    }
  }

  private mutating func writeList<Element>(
    _ elements: [Element],
    _ open: UInt8,
    _ close: UInt8,
    _ depth: Int,
    _ write: (inout Self, Element) -> Void
  ) {
    text.append(open)
    for index in elements.indices {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      breakLine(depth + 1)
      write(&self, elements[index])
    }
    if !elements.isEmpty { breakLine(depth) }
    text.append(close)
  }

  private mutating func breakLine(_ depth: Int) {
    guard isPretty else { return }
    text.append(UInt8(ascii: "\n"))
    text += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func write(_ string: String) {
    text.append(UInt8(ascii: "\""))
    let isPlain = string.utf8.withContiguousStorageIfAvailable { bytes in
      // Most strings are written as they are.
      for byte in bytes where !byte.isPlain { return false }
      text.append(contentsOf: bytes)
      return true
    }
    if isPlain != true { writeScalars(of: string) }
    text.append(UInt8(ascii: "\""))
  }

  private mutating func append(_ string: String) {
    let isAppended: Void? = string.utf8.withContiguousStorageIfAvailable {
      text.append(contentsOf: $0)
    }
    if isAppended == nil { text += string.utf8 }
  }

  private mutating func writeScalars(of string: String) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\"".utf8
      case "\\": text += "\\\\".utf8
      case "\n": text += "\\n".utf8
      case "\r": text += "\\r".utf8
      case "\t": text += "\\t".utf8
      // More than JSON asks for: results are read on terminals, too.
      case _ where scalar.misleadsReaders: writeEscape(scalar.value)
      default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
  }

  /// Writes a scalar below U+10000 as `\u` and four digits.
  private mutating func writeEscape(_ value: UInt32) {
    let digits = String(value, radix: 16)
    text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
  }
}

extension UInt8 {
  /// A character of ASCII that needs no escape.
  fileprivate var isPlain: Bool {
    self >= 0x20 && self < 0x7F && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as UTF-8, on one line or on indented ones, without a line break at the end.
  public func text(isPretty: Bool = false) -> [UInt8] {
    var printer = JSONPrinter(isPretty: isPretty)
    // An answer with one record fits.
    printer.text.reserveCapacity(1024)
    printer.write(self, depth: 0)
    return printer.text
  }

  /// The value on one line.
  public var description: String { String(decoding: text(), as: UTF8.self) }

  /// The value on indented lines.
  public var prettyDescription: String { String(decoding: text(isPretty: true), as: UTF8.self) }
}

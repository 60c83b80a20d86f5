extension Predicate {
  /// The canonical text: parses back to an equal predicate, and equal predicates have equal texts.
  ///
  /// The values of types that NSPredicate's language has no literals for are written `<00ff>`
  /// (bytes in hexadecimal), `@2026-01-02T03:04:05.678Z` (a time), `@location(48.1, 11.5)` and
  /// `@reference("recordName", "zoneName")`. A field whose name is a word of the language has a
  /// `#` before it.
  public var text: String { root.text }

  /// The canonical text as UTF-8, to be hashed or stored: stable, and types are unambiguous.
  public var canonicalBytes: [UInt8] { Array(root.text.utf8) }
}

extension Predicate: CustomStringConvertible {
  /// The canonical text.
  public var description: String { text }
}

extension Predicate.Node {
  /// The canonical text of a canonical node.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .constant(let value):
      text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison):
      comparison.write(to: &text, symbol: comparison.operator.symbol)
    case .not(.comparison(let comparison))
    where comparison.operator == .equal && comparison.modifier == .none:
      comparison.write(to: &text, symbol: "!=")
    case .not(let operand):
      text += "NOT "
      operand.write(to: &text)
    case .and(let operands):
      Self.write(operands, separator: " AND ", to: &text)
    case .or(let operands):
      Self.write(operands, separator: " OR ", to: &text)
    }
  }

  private static func write(_ operands: [Self], separator: String, to text: inout String) {
    var isFirst = true
    for operand in operands {
      if !isFirst { text += separator }
      isFirst = false
      if case .or = operand {
        text += "("
        operand.write(to: &text)
        text += ")"
      } else {
        operand.write(to: &text)
      }
    }
  }
}

extension Predicate.Comparison {
  fileprivate func write(to text: inout String, symbol: String) {
    switch modifier {
    case .none: break
    case .any: text += "ANY "
    case .all: text += "ALL "
    }
    if self.operator == .near {
      writeDistance(to: &text, symbol)
      return
    }
    writeField(to: &text)
    text += " \(symbol)\(isCaseInsensitive ? "[c]" : "") "
    guard self.operator == .in || self.operator == .between else {
      values[0].write(to: &text)
      return
    }
    text += "{"
    var isFirst = true
    for value in values {
      if !isFirst { text += ", " }
      isFirst = false
      value.write(to: &text)
    }
    text += "}"
  }

  private func writeField(to text: inout String) {
    if !isFullText, PredicateWord(rawValue: field.uppercased()) != nil { text += "#" }
    text += field
  }

  private func writeDistance(to text: inout String, _ symbol: String) {
    text += "\(symbol)("
    writeField(to: &text)
    text += ", "
    values[0].write(to: &text)
    text += ") < "
    values[1].write(to: &text)
  }
}

extension FieldValue {
  /// This value as a literal of the language; for lists and assets, the type.
  var predicateText: String {
    var text = ""
    write(to: &text)
    return text
  }

  fileprivate func write(to text: inout String) {
    switch self {
    case .string(let value): value.writeQuoted(to: &text)
    case .int64(let value): text += "\(value)"
    case .double(let value): text += "\(value)"
    case .bytes(let value): value.writeHexadecimal(to: &text)
    case .timestamp(let value): text += "@\(value.iso8601)"
    case .location(let value):
      text += "@location(\(value.latitude), \(value.longitude))"
    case .reference(let value):
      text += "@reference("
      value.recordID.recordName.writeQuoted(to: &text)
      text += ", "
      value.recordID.zoneID.zoneName.writeQuoted(to: &text)
      text += ")"
    default: text += kind.rawValue
    }
  }
}

extension String {
  fileprivate func writeQuoted(to text: inout String) {
    text += "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text += "\\"
        text.unicodeScalars.append(scalar)
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension [UInt8] {
  fileprivate func writeHexadecimal(to text: inout String) {
    text += "<"
    for byte in self {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    text += ">"
  }
}

internal import TidingsJSON

/// An encoded message in one form of the many that say the same: fields by number, maps by key,
/// numbers of repeated fields one by one.
///
/// Encoders differ in these, and none is wrong. Every NaN is the same one: libraries do not keep its bits.
struct WireForm: Hashable {
  private let lines: [String]

  /// - Throws: `CaseFailure` for bytes that are no message.
  init(_ bytes: [UInt8], type: String, schema: Schema) throws {
    lines = try Self.fields(bytes[...], schema.messages[type], schema)
  }

  private static func fields(
    _ bytes: ArraySlice<UInt8>,
    _ message: Schema.Message?,
    _ schema: Schema
  ) throws -> [String] {
    var reader = FieldReader(bytes: bytes)
    var found: [(number: Int, text: String)] = []
    while let field = try reader.next() {
      let known = message?.fields.first { $0.number == field.number }
      for text in try texts(field, known, schema) { found.append((field.number, text)) }
    }
    let isEntry = message?.isMapEntry ?? false
    // In an entry of a map the default may stand or not; the last of several counts.
    if isEntry {
      for number in 1...2 {
        let last = found.last { $0.number == number }
        found.removeAll { $0.number == number }
        if let last, last.text != "\"\"", last.text != "0", last.text != "{}" { found.append(last) }
      }
    }
    let indexed = found.enumerated().sorted { a, b in
      if a.element.number != b.element.number { return a.element.number < b.element.number }
      let field = message?.fields.first { $0.number == a.element.number }
      let isMap = field.flatMap { schema.messages[$0.typeName]?.isMapEntry } ?? false
      return isMap ? a.element.text < b.element.text : a.offset < b.offset
    }
    return indexed.map { "\($0.element.number):\($0.element.text)" }
  }

  private static func texts(
    _ field: FieldReader.Field,
    _ known: FieldSchema?,
    _ schema: Schema
  ) throws -> [String] {
    switch field.content {
    case .number(let number): return [text(number, known)]
    case .bytes(let bytes):
      if let known, known.kind == .message {
        let inner = try fields(bytes, schema.messages[known.typeName], schema)
        return ["{" + inner.joined(separator: ",") + "}"]
      }
      guard let known, known.isRepeated, let width = known.kind.packedWidth else {
        return ["\"" + hexadecimal(bytes) + "\""]
      }
      var reader = FieldReader(bytes: bytes)
      var numbers: [String] = []
      while !reader.bytes.isEmpty { numbers.append(text(try reader.number(width: width), known)) }
      return numbers
    }
  }
}

extension WireForm {
  private static func text(_ number: UInt64, _ known: FieldSchema?) -> String {
    let isNaN =
      switch known?.kind {
      case .double: Double(bitPattern: number).isNaN
      case .float: Float(bitPattern: UInt32(truncatingIfNeeded: number)).isNaN
      default: false
      }
    return isNaN ? "NaN" : "\(number)"
  }
}

extension FieldSchema.Kind {
  /// How wide packed numbers are, in bytes; 0: varints; `nil`: it is never packed.
  fileprivate var packedWidth: Int? {
    switch self {
    case .double, .fixed64, .sfixed64: 8
    case .float, .fixed32, .sfixed32: 4
    case .string, .bytes, .message, .group: nil
    default: 0
    }
  }
}

/// Reads the fields of an encoded message, without its schema.
private struct FieldReader {
  enum Content {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  struct Field {
    let number: Int
    let content: Content
  }

  var bytes: ArraySlice<UInt8>

  mutating func next() throws -> Field? {
    guard !bytes.isEmpty else { return nil }
    let tag = try number(width: 0)
    let field = Int(truncatingIfNeeded: tag >> 3)
    switch tag & 7 {
    case 0: return Field(number: field, content: .number(try number(width: 0)))
    case 1: return Field(number: field, content: .number(try number(width: 8)))
    case 5: return Field(number: field, content: .number(try number(width: 4)))
    case 2:
      let count = try number(width: 0)
      guard count <= UInt64(bytes.count) else { throw Self.malformed }
      defer { bytes = bytes.dropFirst(Int(count)) }
      return Field(number: field, content: .bytes(bytes.prefix(Int(count))))
    default: throw Self.malformed
    }
  }

  // The width is in bytes; 0 is a varint.
  mutating func number(width: Int) throws -> UInt64 {
    var value: UInt64 = 0
    if width > 0 {
      guard bytes.count >= width else { throw Self.malformed }
      for (index, byte) in bytes.prefix(width).enumerated() {
        value |= UInt64(byte) << UInt64(8 * index)
      }
      bytes = bytes.dropFirst(width)
      return value
    }
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let byte = bytes.popFirst() else { throw Self.malformed }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw Self.malformed
  }

  private static let malformed = CaseFailure("the bytes that came are no encoded message")
}

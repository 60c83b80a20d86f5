internal import TidingsModel

/// Writes the parts of a cursor one after the other.
struct CursorWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: UInt8) { bytes.append(value) }

  /// Seven bits to a byte, the lowest first.
  mutating func write(_ value: Int64) {
    var rest = UInt64(bitPattern: value)
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func write(_ text: String) { write(Array(text.utf8)) }

  mutating func write(_ content: [UInt8]) {
    write(Int64(content.count))
    bytes += content
  }

  mutating func write(_ key: IndexKey) { write(key.bytes) }

  mutating func write(_ number: Double) { write(Int64(bitPattern: number.bitPattern)) }

  mutating func write<Element>(
    _ elements: [Element],
    _ each: (inout CursorWriter, Element) -> Void
  ) {
    write(Int64(elements.count))
    for element in elements { each(&self, element) }
  }
}

/// Reads the parts of a cursor; each is `nil` when it is not there.
struct CursorReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> Int64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }

  mutating func bytes() -> [UInt8]? {
    guard let count = number(), count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

  mutating func key() -> IndexKey? { bytes().map { IndexKey(bytes: $0) } }

  mutating func double() -> Double? {
    number().map { Double(bitPattern: UInt64(bitPattern: $0)) }
  }

  mutating func list<Element>(_ each: (inout CursorReader) -> Element?) -> [Element]? {
    guard let count = number(), count >= 0, count <= rest.count else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let element = each(&self) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

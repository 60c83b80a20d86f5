/// Writes protobuf's wire format.
extension [UInt8] {
  /// Adds an integer of variable length.
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Adds the tag and the length of a field with bytes.
  mutating func appendHead(_ field: UInt8, count: Int) {
    append(field << 3 | 2)
    appendVarint(UInt64(count))
  }

  /// Adds a field with bytes.
  mutating func append(_ field: UInt8, _ content: some Collection<UInt8>) {
    appendHead(field, count: content.count)
    append(contentsOf: content)
  }
}

/// Sizes in protobuf's wire format, in bytes.
enum WireSize {
  static func varint(_ value: UInt64) -> Int {
    (64 - (value | 1).leadingZeroBitCount + 6) / 7
  }

  /// A field with bytes, whose number is below 16.
  static func field(_ count: Int) -> Int { 1 + varint(UInt64(count)) + count }
}

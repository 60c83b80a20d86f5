/// Writes the fields of one message on protobuf's wire.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func tag(_ number: Int, _ wireType: UInt64) {
    varint(UInt64(number) << 3 | wireType)
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func fixed(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  /// A value that is already in its form on the wire.
  mutating func raw(_ payload: [UInt8]) { bytes += payload }

  /// A length and that many bytes.
  mutating func delimited(_ content: some Collection<UInt8>) {
    varint(UInt64(content.count))
    bytes += content
  }
}

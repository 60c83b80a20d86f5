/// Encodes the headers of successful responses in place: they are a call id and two flags.
///
/// The bytes are those that protobuf-c would write; a test compares them.
struct ResponseHeaderBuffer: ~Copyable {
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 1)

  deinit { bytes.deallocate() }

  /// Encodes a header; the result is valid until the next one.
  func encode(callID: UInt64, endsStream: Bool, hasMessage: Bool) -> UnsafeRawBufferPointer {
    var count = 0
    func append(_ byte: UInt8) {
      bytes.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
      count += 1
    }
    if callID != 0 {
      append(1 << 3)
      var rest = callID
      while rest >= 0x80 {
        append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      append(UInt8(truncatingIfNeeded: rest))
    }
    if endsStream {
      append(6 << 3)
      append(1)
    }
    if hasMessage {
      append(7 << 3)
      append(1)
    }
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }
}

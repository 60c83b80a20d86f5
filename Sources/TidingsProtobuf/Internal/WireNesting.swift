internal import CProtobufC

/// Measures how deeply messages are nested in encoded bytes, without unpacking them.
enum WireNesting {
  /// Whether messages are nested more than `limit` deep; bytes that are not protobuf end the walk,
  /// since unpacking refuses them.
  static func exceeds(
    _ limit: Int,
    in bytes: RawSpan,
    of descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> Bool {
    bytes.withUnsafeBytes { bytes in exceeds(limit, Walk(bytes), descriptor) }
  }

  /// The recursion is no deeper than the limit.
  private static func exceeds(
    _ limit: Int,
    _ walk: consuming Walk,
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> Bool {
    guard limit > 0 else { return true }
    while let tag = walk.varint() {
      guard let content = walk.content(wireType: tag & 7) else { return false }
      guard let number = UInt32(exactly: tag >> 3), tag & 7 == 2,
        let field = protobuf_c_message_descriptor_get_field(descriptor, number),
        field.pointee.type == PROTOBUF_C_TYPE_MESSAGE,
        let nested = field.pointee.descriptor?.assumingMemoryBound(
          to: ProtobufCMessageDescriptor.self
        )
      else { continue }
      if exceeds(limit - 1, Walk(content), nested) { return true }
    }
    return false
  }

  /// Reads the fields of one message.
  private struct Walk {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), through: 63, by: 7) {
        guard offset < bytes.count else { return nil }
        let byte = bytes[offset]
        offset += 1
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }

    /// Skips a field's content and returns it; `nil` for what protobuf-c refuses.
    mutating func content(wireType: UInt64) -> UnsafeRawBufferPointer? {
      switch wireType {
      case 0: varint() == nil ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
      case 1: take(8)
      case 2: varint().flatMap { take($0) }
      case 5: take(4)
      default: nil
      }
    }

    private mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer? {
      guard count <= UInt64(bytes.count - offset) else { return nil }
      defer { offset += Int(count) }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    }
  }
}

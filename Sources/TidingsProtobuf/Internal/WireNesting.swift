internal import CProtobufC
internal import TidingsWire

/// Measures how deeply messages are nested in encoded bytes, without unpacking them.
enum WireNesting {
  /// Whether messages are nested more than `limit` deep; bytes that are not protobuf end the walk,
  /// since unpacking refuses them.
  static func exceeds(
    _ limit: Int,
    in bytes: RawSpan,
    of descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> Bool {
    bytes.withUnsafeBytes { exceeds(limit, WireReader($0[...]), descriptor) }
  }

  /// The recursion is no deeper than the limit.
  private static func exceeds(
    _ limit: Int,
    _ message: consuming WireReader<Slice<UnsafeRawBufferPointer>>,
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> Bool {
    guard limit > 0 else { return true }
    while let (number, value) = try? message.next() {
      guard case .bytes(let content) = value,
        let field = protobuf_c_message_descriptor_get_field(descriptor, UInt32(number)),
        field.pointee.type == PROTOBUF_C_TYPE_MESSAGE,
        let nested = field.pointee.descriptor?.assumingMemoryBound(
          to: ProtobufCMessageDescriptor.self
        )
      else { continue }
      if exceeds(limit - 1, WireReader(content), nested) { return true }
    }
    return false
  }
}

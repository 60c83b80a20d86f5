internal import CProtobufC

/// What generated messages have beyond `Message`: their C form.
///
/// For generated code, and for code that reads C messages directly and wants one member as a value.
public protocol GeneratedMessage: Message {
  /// Unpacks bytes into the arena.
  ///
  /// - Returns: The generated C struct; valid until the arena is reset.
  static func unpack(
    _ bytes: RawSpan,
    in arena: borrowing Arena
  ) throws(MessageDecodingError)
    -> UnsafeRawPointer

  /// Converts the generated C struct.
  init(unpacked pointer: UnsafeRawPointer) throws(MessageDecodingError)

  /// Builds the generated C struct in the arena; valid until the arena is reset.
  func packed(in arena: borrowing Arena) -> UnsafeMutableRawPointer
}

extension GeneratedMessage {
  /// Decodes a message through its C form.
  @inlinable
  public init(decoding bytes: RawSpan, in arena: borrowing Arena) throws(MessageDecodingError) {
    let pointer = try Self.unpack(bytes, in: arena)
    try self.init(unpacked: pointer)
  }

  /// Encodes the message through its C form.
  @inlinable
  public func encoded(in arena: borrowing Arena) -> [UInt8] {
    arena.pack(packed(in: arena))
  }
}

extension Arena {
  /// Packs a C message, for generated code.
  public func pack(_ message: UnsafeMutableRawPointer) -> [UInt8] {
    let message = message.assumingMemoryBound(to: ProtobufCMessage.self)
    return [UInt8](
      unsafeUninitializedCapacity: protobuf_c_message_get_packed_size(message)
    ) { buffer, count in
      if let start = buffer.baseAddress { count = protobuf_c_message_pack(message, start) }
    }
  }
}

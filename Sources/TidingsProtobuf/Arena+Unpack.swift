public import CProtobufC

extension Arena {
  /// The signature of a generated C `…__unpack`.
  public typealias Unpack<C> = (
    UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?
  ) -> UnsafeMutablePointer<C>?

  /// Unpacks bytes with a generated C function, for generated code.
  ///
  /// - Parameters:
  ///   - bytes: One encoded message.
  ///   - name: The message's full name, for errors.
  ///   - unpack: The C function.
  /// - Returns: The C struct; valid until the arena is reset.
  @inlinable
  public func unpack<C>(
    _ bytes: RawSpan,
    _ name: String,
    with unpack: Unpack<C>
  ) throws(MessageDecodingError) -> UnsafeRawPointer {
    let unpacked = bytes.withUnsafeBytes { bytes in
      unpack(allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    guard let unpacked else {
      throw MessageDecodingError(isExhausted ? .arenaExhausted : .malformed, in: name)
    }
    return UnsafeRawPointer(unpacked)
  }

  /// Unpacks bytes of a message type that can contain itself, for generated code.
  ///
  /// protobuf-c unpacks nested messages recursively and without a limit, so that a few KB of bytes
  /// would overflow the stack; the depth is checked first.
  ///
  /// - Parameters:
  ///   - bytes: One encoded message.
  ///   - name: The message's full name, for errors.
  ///   - initialize: The message type's C `…__init`, which tells its descriptor.
  ///   - unpack: The C function.
  /// - Returns: The C struct; valid until the arena is reset.
  public func unpack<C: BitwiseCopyable>(
    _ bytes: RawSpan,
    _ name: String,
    checkingNestingBy initialize: (UnsafeMutablePointer<C>?) -> Void,
    with unpack: Unpack<C>
  ) throws(MessageDecodingError) -> UnsafeRawPointer {
    let prototype = allocate(C.self)
    initialize(prototype)
    let base = UnsafeRawPointer(prototype).assumingMemoryBound(to: ProtobufCMessage.self)
    if let descriptor = base.pointee.descriptor,
      WireNesting.exceeds(MessageDecodingError.nestingMax, in: bytes, of: descriptor)
    {
      throw MessageDecodingError(.nestedTooDeeply, in: name)
    }
    return try self.unpack(bytes, name, with: unpack)
  }
}

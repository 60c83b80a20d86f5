internal import CProtobufC

extension Arena {
  /// Unpacks bytes, for generated code.
  ///
  /// - Parameters:
  ///   - bytes: One encoded message.
  ///   - name: The message's full name, for errors.
  ///   - initialize: The message type's C `…__init`, which sets its descriptor.
  ///   - checksNesting: The bytes can nest messages more deeply than allowed. protobuf-c unpacks
  ///     recursively and without a limit, so that a few KB of bytes would overflow the stack; the
  ///     depth is checked first.
  /// - Returns: The C struct; valid until the arena is reset.
  /// - Throws: Malformed, nested too deeply, or more than the arena's capacity.
  @inlinable
  public func unpack<C>(
    _ bytes: RawSpan,
    _ name: StaticString,
    _ initialize: (UnsafeMutablePointer<C>?) -> Void,
    checksNesting: Bool = false
  ) throws(MessageDecodingError) -> UnsafeRawPointer {
    let prototype = allocate(C.self)
    initialize(prototype)
    return try unpack(
      bytes,
      name,
      prototype: UnsafeRawPointer(prototype),
      checksNesting: checksNesting
    )
  }

  /// Unpacks bytes of the type that an initialized C message has.
  @usableFromInline
  func unpack(
    _ bytes: RawSpan,
    _ name: StaticString,
    prototype: UnsafeRawPointer,
    checksNesting: Bool
  ) throws(MessageDecodingError) -> UnsafeRawPointer {
    let base = prototype.assumingMemoryBound(to: ProtobufCMessage.self)
    guard let descriptor = base.pointee.descriptor else {
      preconditionFailure("\(name) is initialized")
    }
    if checksNesting,
      WireNesting.exceeds(MessageDecodingError.nestingMax, in: bytes, of: descriptor)
    {
      throw MessageDecodingError(.nestedTooDeeply, in: name.description)
    }
    let unpacked = bytes.withUnsafeBytes { bytes in
      protobuf_c_message_unpack(
        descriptor,
        allocator,
        bytes.count,
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      )
    }
    guard let unpacked else {
      throw MessageDecodingError(
        isExhausted ? .arenaExhausted : .malformed,
        in: name.description
      )
    }
    return UnsafeRawPointer(unpacked)
  }
}

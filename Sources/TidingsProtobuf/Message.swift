/// A protobuf message as a Swift value.
///
/// Types are generated from .proto files. Decoding checks everything that Swift promises: strings
/// are valid UTF-8 (U+0000 included), enums keep unknown numbers. Fields that the .proto does not
/// have are dropped. Encoding is deterministic: fields in the order of their numbers, maps sorted by
/// the bytes of their keys.
///
/// A negative zero in a field without presence counts as the default and is not encoded. Keys of a map that
/// are canonically equivalent text are one key to Swift; the last one is kept.
public protocol Message: Hashable, Sendable {
  /// The full name, for example `tidings.v1.Record`.
  static var messageName: String { get }

  /// All fields at their defaults.
  init()

  /// Decodes a message; nothing of it is in the arena, which can be reset afterwards.
  ///
  /// - Parameters:
  ///   - bytes: One encoded message, without a length in front.
  ///   - arena: Its capacity bounds what hostile bytes can make the decoder allocate.
  /// - Throws: An error that names the reason.
  init(decoding bytes: RawSpan, in arena: borrowing Arena) throws(MessageDecodingError)

  /// Encodes the message; the arena holds what is needed on the way and can be reset afterwards.
  ///
  /// - Parameter arena: Grows as needed, whatever its capacity.
  /// - Returns: The encoded message, without a length in front.
  func encoded(in arena: borrowing Arena) -> [UInt8]
}

extension Message {
  /// Decodes a message with an arena of its own.
  ///
  /// - Parameter bytes: One encoded message, without a length in front.
  /// - Throws: An error that names the reason.
  public init(decoding bytes: [UInt8]) throws(MessageDecodingError) {
    let arena = Arena(
      capacityBytes: max(Arena.defaultCapacityBytes, bytes.count << 4),
      firstChunkBytes: 1
    )
    try self.init(decoding: bytes.span.bytes, in: arena)
  }

  /// Encodes the message with an arena of its own.
  ///
  /// - Returns: The encoded message, without a length in front.
  public func encoded() -> [UInt8] {
    let arena = Arena(firstChunkBytes: 1024)
    return encoded(in: arena)
  }
}

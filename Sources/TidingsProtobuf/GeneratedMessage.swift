internal import TidingsWire

/// What generated messages have beyond `Message`: their fields on the wire, and their C form.
///
/// For generated code, and for code that reads C messages directly.
public protocol GeneratedMessage: Message {
  /// Reads fields: they replace those that are there, and are added to lists and maps.
  mutating func readFields(_ reader: inout FieldReader) throws(MessageDecodingError)

  /// Writes the fields that differ from their defaults.
  func writeFields(to writer: inout FieldWriter)

  /// Unpacks bytes into the arena.
  ///
  /// - Returns: The generated C struct; valid until the arena is reset.
  static func unpack(
    _ bytes: RawSpan,
    in arena: borrowing Arena
  ) throws(MessageDecodingError)
    -> UnsafeRawPointer
}

extension GeneratedMessage {
  /// Decodes a message; what it holds may take as much memory as the arena has left.
  public init(decoding bytes: RawSpan, in arena: borrowing Arena) throws(MessageDecodingError) {
    self.init()
    let bytesMax = arena.leftBytes
    try bytes.withUnsafeBytes { (bytes) throws(MessageDecodingError) in
      guard let bytes = LentBytes(bytes) else { return }
      try FieldReader.read(bytes, of: Self.messageName, bytesMax: bytesMax) {
        (reader) throws(MessageDecodingError) in
        try readFields(&reader)
      }
    }
  }

  /// Encodes the message, which is written in the arena first.
  public func encoded(in arena: borrowing Arena) -> [UInt8] {
    var writer = arena.makeWriter()
    writeFields(to: &writer)
    return writer.bytes
  }
}

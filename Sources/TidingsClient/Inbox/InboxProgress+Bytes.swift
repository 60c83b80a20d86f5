extension InboxProgress {
  private static let version: UInt8 = 1

  /// The progress as bytes, of one user and one container.
  package var bytes: [UInt8] {
    var writer = PositionWriter(bytes: [Self.version])
    writer.add(self)
    return writer.bytes
  }

  /// Decodes a progress.
  ///
  /// - Returns: `nil`: the bytes are not one.
  package init?(bytes: [UInt8]) {
    guard bytes.first == Self.version else { return nil }
    var reader = PositionReader(bytes: bytes.dropFirst())
    guard let progress = reader.progress(), reader.bytes.isEmpty else { return nil }
    self = progress
  }
}

/// How far a transfer of an asset is.
public struct AssetProgress: Hashable, Sendable {
  /// What is being done.
  public enum Step: Hashable, Sendable {
    /// The checksum of what is here is computed.
    case reading
    /// Bytes travel.
    case transferring
  }

  /// What is being done.
  public var step: Step
  /// Bytes that are done, from the beginning of the asset.
  public var bytesDone: UInt64
  /// Bytes of the asset; `nil` while they are not known.
  public var bytesTotal: UInt64?

  /// Progress from its parts, in bytes.
  public init(step: Step, bytesDone: UInt64, bytesTotal: UInt64?) {
    self.step = step
    self.bytesDone = bytesDone
    self.bytesTotal = bytesTotal
  }
}

/// Why a transfer of an asset failed on this side.
public struct AssetFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed, where, and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

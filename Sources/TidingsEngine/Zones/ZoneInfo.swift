public import TidingsModel

/// A zone, as clients see it.
public struct ZoneInfo: Hashable, Sendable {
  /// Which one.
  public let id: ZoneID
  /// When it was created; `nil` for the default zone.
  public let created: Timestamp?
  /// The number of its last change.
  public let head: Int64
}

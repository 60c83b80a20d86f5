/// What was stored in channels after an event: from which number to which, in each.
public struct EventSpan: Sendable {
  /// The topic of the channel's pushes.
  public let topic: [UInt8]
  /// The number before the first.
  public let previous: Int64
  /// The last number.
  public let last: Int64
}

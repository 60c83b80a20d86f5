/// Where one channel's pushes are published.
public struct PushChannel: Sendable {
  /// The channel's number.
  public let channel: Int64
  /// The number of its newest event.
  public let head: Int64
  /// The topic, 16 bytes.
  public let topic: [UInt8]
  /// The user's subscription in the channel.
  public let subscriptionID: String
  /// Marks pushes that the calling device caused; 0 when it named none.
  public let originTag: UInt64
}

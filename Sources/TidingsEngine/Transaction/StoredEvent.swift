public import TidingsModel

/// An event that is durable, or will be with the transaction, and is to be published then.
public struct StoredEvent: Sendable {
  /// The channel's number.
  public let channel: Int64
  /// The topic of the channel's pushes.
  public let topic: [UInt8]
  /// The number in the channel.
  public let sequence: Int64
  /// Marks the device that made the change; 0 for none.
  public let originTag: UInt64
  /// When the change was made.
  public let committed: Timestamp
  /// The encoded notification, without what differs between subscribers.
  public let body: [UInt8]
}

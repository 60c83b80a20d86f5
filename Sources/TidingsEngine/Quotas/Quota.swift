/// What a user may take; 0 of anything: no bound.
public struct Quota: Hashable, Sendable {
  /// Records in all private databases, without tombstones.
  public var recordsMax: Int64
  /// Bytes of all that is stored, in all containers.
  public var bytesMax: Int64
  /// Calls in a second, over all connections.
  public var callsPerSecondMax: Int64
  /// Subscriptions in a container.
  public var subscriptionsMax: Int64
  /// Connections that call, at a time.
  public var connectionsMax: Int64

  /// A quota.
  public init(
    recordsMax: Int64 = 0,
    bytesMax: Int64 = 0,
    callsPerSecondMax: Int64 = 0,
    subscriptionsMax: Int64 = 0,
    connectionsMax: Int64 = 0
  ) {
    self.recordsMax = recordsMax
    self.bytesMax = bytesMax
    self.callsPerSecondMax = callsPerSecondMax
    self.subscriptionsMax = subscriptionsMax
    self.connectionsMax = connectionsMax
  }
}

extension Limits {
  /// What a user may take who has no quota of one's own.
  public var userQuota: Quota {
    Quota(
      recordsMax: Int64(recordsPerUserMax),
      bytesMax: Int64(bytesPerUserMax),
      callsPerSecondMax: Int64(callsPerSecondPerUserMax),
      subscriptionsMax: Int64(subscriptionsPerUserMax),
      connectionsMax: Int64(connectionsPerUserMax)
    )
  }

  /// What the public databases of a container may take.
  var publicQuota: Quota {
    Quota(recordsMax: Int64(publicRecordsMax), bytesMax: Int64(publicBytesMax))
  }
}

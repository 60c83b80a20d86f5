/// What databases of a user take in a container.
public struct Usage: Hashable, Sendable {
  /// Records, without tombstones.
  public var records: Int64 = 0
  /// Bytes of the encoded records, and of the assets that they name: each once for each record.
  public var bytes: Int64 = 0

  /// A usage.
  public init(records: Int64 = 0, bytes: Int64 = 0) {
    self.records = records
    self.bytes = bytes
  }

  static func + (left: Self, right: Self) -> Self {
    Self(records: left.records + right.records, bytes: left.bytes + right.bytes)
  }

  static func += (left: inout Self, right: Self) { left = left + right }

  /// It takes more of something that has a bound.
  var grows: Bool { records > 0 || bytes > 0 }
}

/// What the private databases of a user take in a container.
public struct ContainerUsage: Hashable, Sendable {
  /// Which container.
  public let container: String
  /// Records and bytes, in both environments.
  public let usage: Usage
  /// Subscriptions that have not ended, in both environments.
  public let subscriptions: Int64
}

extension RecordPlan.Write {
  /// What the write adds to the usage of its database's owner.
  var usageChange: Usage {
    var change = Usage()
    if let body = row.body, let new {
      change += Usage(records: 1, bytes: Int64(body.count) + new.assetBytes)
    }
    if let body = replaced?.body, let old {
      change += Usage(records: -1, bytes: -Int64(body.count) - old.assetBytes)
    }
    return change
  }
}

/// What is stored for a user, or in the public databases of a container.
public struct Usage: Hashable, Sendable {
  /// Records, without tombstones.
  public var records: Int64 = 0
  /// Bytes of the encoded records, of the assets that they name (each once for each record), and of
  /// all else that is stored.
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

  /// The same, where nothing is below 0.
  var notNegative: Self { Self(records: max(0, records), bytes: max(0, bytes)) }
}

/// What is stored for a user in a container.
public struct ContainerUsage: Hashable, Sendable {
  /// Which container; empty: what belongs to none.
  public let container: String
  /// Records and bytes, in both environments.
  public let usage: Usage
  /// Subscriptions that have not ended, in both environments.
  public let subscriptions: Int64
}

extension RecordPlan.Write {
  /// What the write adds to the zone: records and the assets that they name.
  var recordChange: Usage {
    var change = Usage()
    if let body = row.body, let new {
      change += Usage(records: 1, bytes: Int64(body.count) + new.assetBytes)
    }
    if let body = replaced?.body, let old {
      change += Usage(records: -1, bytes: -Int64(body.count) - old.assetBytes)
    }
    return change
  }

  /// What the write adds with its tombstone, or takes away with the one that it replaces.
  var tombstoneBytes: Int64 {
    func bytes(_ row: RecordTable.Row) -> Int64 {
      row.body == nil ? StorageCost.tombstone(name: name, recordType: row.recordType) : 0
    }
    return bytes(row) - (replaced.map(bytes) ?? 0)
  }

  /// What the write adds to the account of its database's owner: an asset that it names and that the
  /// account has already, because nothing named it, is no more than before.
  var usageChange: Usage {
    recordChange + Usage(bytes: tombstoneBytes - redeemedBytes)
  }
}

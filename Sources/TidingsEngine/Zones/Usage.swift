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

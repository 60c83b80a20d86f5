public import TidingsModel

/// Finds the channels that watch zones or whole databases and are fired by the change of a zone.
///
/// They are found by the names of what they watch; there is nothing to evaluate.
public struct WatchedZones {
  private struct Location: Hashable {
    var database: Int64
    /// `nil`: all zones of the database.
    var zone: ZoneID?
    /// Empty: all types.
    var recordType: String
  }

  private struct Watched {
    var channelCount = 0
    var evaluation = Evaluation()
  }

  /// The numbers of the channels, ascending.
  private var channels: [Location: [Int64]] = [:]
  private var locations: [Int64: Location] = [:]
  private var databases: [Int64: Watched] = [:]

  /// Nothing is watched.
  public init() {}

  /// The number of channels.
  public var count: Int { locations.count }

  /// Whether any channel watches a zone of a database, or all.
  public func watches(database: Int64) -> Bool { databases[database] != nil }

  /// How many channels watch a zone of a database, or all.
  public func channelCount(database: Int64) -> Int { databases[database]?.channelCount ?? 0 }

  /// Adds a channel, in place of one with the same number.
  ///
  /// - Parameters:
  ///   - channel: Its number.
  ///   - database: The number of the database.
  ///   - zone: The zone; `nil`: all zones of the database.
  ///   - recordType: Only changes of records of this type; empty: all changes.
  public mutating func insert(
    _ channel: Int64,
    database: Int64,
    zone: ZoneID?,
    recordType: String
  ) {
    remove(channel)
    let location = Location(database: database, zone: zone, recordType: recordType)
    locations[channel] = location
    databases[database, default: Watched()].channelCount += 1
    var numbers = channels.removeValue(forKey: location) ?? []
    numbers.insert(channel, at: numbers.partitionPoint { $0 < channel })
    channels[location] = numbers
  }

  /// Removes a channel.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public mutating func remove(_ channel: Int64) -> Bool {
    guard let location = locations.removeValue(forKey: channel) else { return false }
    var numbers = channels.removeValue(forKey: location) ?? []
    numbers.removeAll { $0 == channel }
    if !numbers.isEmpty { channels[location] = numbers }
    databases[location.database]?.channelCount -= 1
    if databases[location.database]?.channelCount == 0 { databases[location.database] = nil }
    return true
  }

  /// Finds the channels that the change of a zone fires.
  ///
  /// - Parameters:
  ///   - database: The number of the database.
  ///   - zone: The zone.
  ///   - recordTypes: The types of the records that were created, changed or deleted.
  ///   - isZoneItself: The zone was created or deleted: channels without a record type fire even if
  ///     no record changed.
  ///   - time: When, for `evaluation(database:)`.
  /// - Returns: Their numbers, ascending.
  public mutating func match(
    database: Int64,
    zone: ZoneID,
    recordTypes: Set<String>,
    isZoneItself: Bool,
    at time: Timestamp
  ) -> [Int64] {
    guard isZoneItself || !recordTypes.isEmpty,
      databases[database]?.evaluation.note(time) != nil
    else { return [] }
    var found: [Int64] = []
    for zone in [zone, nil] {
      var location = Location(database: database, zone: zone, recordType: "")
      if let numbers = channels[location] { found += numbers }
      for recordType in recordTypes where !recordType.isEmpty {
        location.recordType = recordType
        if let numbers = channels[location] { found += numbers }
      }
    }
    found.sort()
    return found
  }

  /// How many channels the change of a zone fires; the parameters are those of `match`.
  public func matchCount(
    database: Int64,
    zone: ZoneID,
    recordTypes: Set<String>,
    isZoneItself: Bool
  ) -> Int {
    guard isZoneItself || !recordTypes.isEmpty, watches(database: database) else { return 0 }
    var count = 0
    for zone in [zone, nil] {
      for recordType in recordTypes.union([""]) {
        let location = Location(database: database, zone: zone, recordType: recordType)
        count += channels[location]?.count ?? 0
      }
    }
    return count
  }

  /// What was looked at for the channels of a database.
  public func evaluation(database: Int64) -> Evaluation {
    databases[database]?.evaluation ?? Evaluation()
  }
}

/// How many changes were looked at for channels, and when the last one.
public struct Evaluation: Hashable, Sendable {
  /// Changes, since something is watched in this run.
  public private(set) var count: UInt64 = 0
  /// The time of the last one; `nil`: there was none.
  public private(set) var last: Timestamp?

  /// Nothing was looked at.
  public init() {}

  mutating func note(_ time: Timestamp) {
    count += 1
    last = time
  }
}

public import TidingsModel

/// What the index knows of a channel: which changes of which records fire it.
public struct WatchedChannel: Hashable, Sendable {
  /// The channel's number, unique in the index.
  public var channel: Int64
  /// The number of the database.
  public var database: Int64
  /// The records' type.
  public var recordType: String
  /// The number of the only zone; `nil`: all zones of the database.
  public var zone: Int64?
  /// Which records of the type.
  public var predicate: Predicate
  /// Which changes.
  ///
  /// `once` is the engine's affair.
  public var options: Subscription.FiringOptions

  /// A channel from its parts.
  public init(
    channel: Int64,
    database: Int64,
    recordType: String,
    zone: Int64? = nil,
    predicate: Predicate,
    options: Subscription.FiringOptions
  ) {
    self.channel = channel
    self.database = database
    self.recordType = recordType
    self.zone = zone
    self.predicate = predicate
    self.options = options
  }
}

/// One channel that a change fires.
public struct Firing: Hashable, Sendable {
  /// What happened to the record.
  ///
  /// The first three numbers are CloudKit's.
  public enum Reason: Int32, Hashable, Sendable {
    /// It was created, and matches.
    case created = 1
    /// It was updated, and matches afterwards.
    case updated = 2
    /// It matched, and was deleted.
    case deleted = 3
    /// It matches, and did not match before or was not there.
    case entered = 4
    /// It matched, and matches no longer or was deleted.
    case left = 5

    /// The option with which a channel asks for it.
    public var option: Subscription.FiringOptions {
      switch self {
      case .created: .recordCreation
      case .updated: .recordUpdate
      case .deleted: .recordDeletion
      case .entered: .recordEnter
      case .left: .recordLeave
      }
    }
  }

  /// The channel's number.
  public var channel: Int64
  /// What happened.
  public var reason: Reason

  /// A firing from its parts.
  public init(channel: Int64, reason: Reason) {
    self.channel = channel
    self.reason = reason
  }
}

extension [Firing] {
  /// Sorts the firings behind a place by channel, and keeps one of each.
  mutating func sortAndUnique(from start: Int) {
    var isSorted = true
    for index in indices.dropFirst(start + 1) where self[index - 1].channel >= self[index].channel {
      isSorted = false
      break
    }
    if isSorted { return }
    self[start...].sort { $0.channel < $1.channel }
    var kept = start + 1
    for index in kept..<count where self[index].channel != self[kept - 1].channel {
      self[kept] = self[index]
      kept += 1
    }
    removeLast(count - kept)
  }
}

/// What all events of a channel have in common.
public struct EventSource: Sendable {
  /// What the channel watches.
  public var kind: Subscription.Kind
  /// Where.
  public var database: DatabaseID
  /// The type of the records; empty: records of all types.
  public var recordType: String
  /// What the subscriptions want shown.
  public var notificationInfo: NotificationInfo?

  /// What the events have in common of a channel that is defined so.
  public init(of definition: Subscription, in database: DatabaseID) {
    kind = definition.kind
    self.database = database
    recordType = definition.recordType
    notificationInfo = definition.notificationInfo
  }
}

/// One firing of a channel, without what all events of the channel have in common, and without what it
/// carries of the record.
public struct Event: Sendable {
  /// Why a query subscription fires.
  ///
  /// The first three numbers are those of `CKQueryNotification.Reason`.
  public enum Reason: Int32, Sendable {
    /// A record was created.
    case recordCreated = 1
    /// A record was updated.
    case recordUpdated = 2
    /// A record was deleted.
    case recordDeleted = 3
    /// A record matches, and did not match before or was not there.
    case recordEntered = 4
    /// A record matched, and matches no longer or was deleted.
    case recordLeft = 5
  }

  /// What changed.
  public enum Subject: Sendable {
    /// A record that a query subscription watches, and why it fires.
    case record(RecordID, Reason)
    /// A zone that a zone or database subscription watches.
    case zone(ZoneID)
  }

  /// The channel's number.
  public var channel: Int64
  /// The number in the channel, from 1 on.
  public var sequence: Int64
  /// What changed.
  public var subject: Subject
  /// When, by the server's clock.
  public var committed: Timestamp

  /// The firing of a channel.
  public init(channel: Int64, sequence: Int64, subject: Subject, committed: Timestamp) {
    (self.channel, self.sequence) = (channel, sequence)
    (self.subject, self.committed) = (subject, committed)
  }
}

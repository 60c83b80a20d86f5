public import TidingsModel

/// How records, subscriptions and events become the bytes that the store keeps.
///
/// The bytes are those of the contract's messages, so that they go to clients without being decoded;
/// the engine itself does not know them.
public protocol BodyCodec: AnyObject {
  /// The bytes of a record, with its system fields.
  func encode(_ record: Record) -> [UInt8]
  /// The record in bytes that this codec made.
  func decodeRecord(_ bytes: UnsafeRawBufferPointer) throws -> Record
  /// The bytes of a subscription, without what the server adds.
  func encode(_ subscription: Subscription) -> [UInt8]
  /// The subscription in bytes that this codec made.
  func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> Subscription
  /// The bytes of an event, without what differs between its subscribers.
  func encode(_ event: Event) -> [UInt8]
}

/// One firing of a channel.
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

  /// The channel's number.
  public var channel: Int64
  /// The number in the channel, from 1 on.
  public var sequence: Int64
  /// Where it happened.
  public var database: DatabaseID
  /// Why.
  public var reason: Reason
  /// The record.
  public var recordID: RecordID
  /// The record's type.
  public var recordType: String
  /// The fields that the subscription asked for.
  public var fields: RecordFields
  /// What the subscription wants shown.
  public var notificationInfo: NotificationInfo?
  /// When, by the server's clock.
  public var committed: Timestamp
}

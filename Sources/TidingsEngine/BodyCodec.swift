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
  /// The bytes of what all events of a channel have in common.
  func encode(_ source: EventSource) -> [UInt8]
  /// The bytes of an event, without what differs between its subscribers: begins with those of its
  /// source.
  func encode(_ event: Event) -> [UInt8]
}

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
  /// Bytes that name the owner of a record's zone, behind those of the record: no stored one does.
  func ownerBytes(_ owner: String) -> [UInt8]
  /// Whether bytes that this codec made are a share's record; without decoding them.
  func isShare(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// The bytes of a subscription, without what the server adds.
  func encode(_ subscription: Subscription) -> [UInt8]
  /// The subscription in bytes that this codec made.
  func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> Subscription
  /// The bytes of what all events of a channel have in common.
  func encode(_ source: EventSource) -> [UInt8]
  /// The bytes of an event: between those of its source and those of its content they are a
  /// notification, without what differs between its subscribers.
  func encode(_ event: Event) -> [UInt8]
  /// The bytes of what an event carries of a record.
  func encode(_ content: EventContent) -> [UInt8]
  /// The bytes of an event without what it carries of the record.
  func withoutContent(ofEvent bytes: UnsafeRawBufferPointer) throws -> [UInt8]
  /// When an event was committed, by the bytes that this codec made; `nil`: unknown.
  func committed(ofEvent bytes: UnsafeRawBufferPointer) throws -> Timestamp?
}

extension BodyCodec {
  /// Codecs whose records nobody sees need none.
  public func ownerBytes(_ owner: String) -> [UInt8] { [] }

  /// Codecs whose records are not shown need not implement it.
  public func isShare(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

  /// Codecs whose events nobody sees need none.
  public func encode(_ content: EventContent) -> [UInt8] { [] }

  /// Codecs whose events nobody sees need not separate it.
  public func withoutContent(ofEvent bytes: UnsafeRawBufferPointer) throws -> [UInt8] { [] }

  /// Codecs whose events are not shown need not implement it.
  public func committed(ofEvent bytes: UnsafeRawBufferPointer) throws -> Timestamp? { nil }

  /// When a stored event was committed, for its readers.
  func committed(ofEvent bytes: [UInt8]) throws -> Timestamp {
    try bytes.withUnsafeBytes { try committed(ofEvent: $0) } ?? Timestamp(millisecondsSince1970: 0)
  }

  /// The bytes behind the records of a zone that a call names; none if it names no owner.
  func ownerBytes(ofZone zone: ZoneID?) -> [UInt8] {
    guard let owner = zone?.ownerName, !owner.isEmpty else { return [] }
    return ownerBytes(owner)
  }
}

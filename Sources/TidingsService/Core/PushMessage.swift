internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// Encodes what is published: `tidings.v1.Push`.
enum PushMessage {
  /// An event; its notification goes out as it is stored.
  static func event(_ event: StoredEvent) -> [UInt8] {
    var push = SplicedMessage(capacity: event.body.count + 64)
    push.add(1, varint: UInt64(event.sequence))
    push.add(2, varint: UInt64(event.sequence - 1))
    push.add(3, event.committed)
    if event.originTag != 0 { push.add(4, fixed64: event.originTag) }
    push.add(5, event.body)
    return push.bytes
  }

  /// The number of a channel's newest event, once more.
  static func beacon(_ sequence: Int64, at time: Timestamp) -> [UInt8] {
    TidingsV1.Push(
      sequenceNumber: UInt64(sequence),
      previousSequenceNumber: UInt64(sequence - 1),
      published: .init(time)
    ).encoded()
  }

  /// A user's channels changed.
  static func channelsChanged(at time: Timestamp) -> [UInt8] {
    TidingsV1.Push(published: .init(time), content: .channelsChanged(true)).encoded()
  }
}

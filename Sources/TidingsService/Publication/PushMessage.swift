internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal
internal import TidingsWire

/// Encodes pushes, `tidings.v1.Push`.
struct PushMessage: ~Copyable {
  /// How the content is protected.
  enum Protection {
    /// Every receiver can read it.
    case open
    /// Only holders of the key can read it.
    case sealed(SealingKey, NonceSequence.Nonce)
  }

  /// The encoded time of publication, made once for all that is published together.
  struct PublicationTime {
    let time: Timestamp
    fileprivate let bytes: [UInt8]

    init(_ time: Timestamp) {
      self.time = time
      bytes = WireWriter.bytes(of: time)
    }
  }

  private typealias Field = TidingsV1.Push.FieldNumber

  /// A member of `Push.content`, and the one that it is when it is sealed.
  private struct Content {
    let field: Int
    let sealed: Int

    static let notification = Self(field: Field.notification, sealed: Field.sealedNotification)
    static let readMarks = Self(field: Field.readMarks, sealed: Field.sealedReadMarks)
  }

  private static let room = [UInt8](repeating: 0, count: SealingKey.overheadBytes)

  private var message: WireWriter

  private init(
    _ sequence: Int64,
    after previous: Int64,
    _ published: PublicationTime,
    tag: UInt64 = 0,
    room: Int
  ) {
    message = WireWriter(capacity: 64 + SealingKey.overheadBytes + room)
    if sequence != 0 { message.add(Field.sequenceNumber, varint: UInt64(clamping: sequence)) }
    if previous != 0 {
      message.add(Field.previousSequenceNumber, varint: UInt64(clamping: previous))
    }
    message.add(Field.published, published.bytes)
    if tag != 0 { message.add(Field.originTag, fixed64: tag) }
  }

  private mutating func add(_ content: Content, _ bytes: [UInt8], _ protection: Protection) {
    switch protection {
    case .open: message.add(content.field, bytes)
    case .sealed(let key, let nonce):
      message.add(content.sealed, Self.room, then: bytes) { key.seal($0, nonce) }
    }
  }

  /// Whether a content fits into so many bytes, before it is sealed.
  private func fits(_ bytes: Int, _ bytesMax: Int) -> Bool {
    message.bytes.count + WireSize.field(bytes) <= bytesMax
  }

  /// An event; its notification goes out as it is stored, unless it is too large.
  ///
  /// - Parameters:
  ///   - event: The event; the one before it was published too.
  ///   - published: When it is published.
  ///   - protection: How.
  ///   - traceParent: The span that publishes it; `nil`: none is recorded.
  ///   - bytesMax: Largest push, before it is sealed; more is pruned.
  /// - Returns: The push, and that it was pruned.
  static func event(
    _ event: StoredEvent,
    _ published: PublicationTime,
    _ protection: Protection,
    traceParent: [UInt8]? = nil,
    bytesMax: Int
  ) -> (bytes: [UInt8], isPruned: Bool) {
    var push = PushMessage(
      event.sequence,
      after: event.sequence - 1,
      published,
      tag: event.originTag,
      room: min(event.body.count, bytesMax)
    )
    // Its place in the message has no meaning.
    if let traceParent { push.message.add(Field.traceParent, traceParent) }
    guard !push.fits(event.body.count, bytesMax) else {
      push.add(.notification, event.body, protection)
      return (push.message.bytes, false)
    }
    // Without content the push is still a hint.
    if let notification = try? TidingsV1.Notification(decoding: event.body) {
      let memberHead = WireSize.field(bytesMax) - bytesMax
      let room = bytesMax - push.message.bytes.count - memberHead
      push.add(.notification, PushPruning.encode(notification, bytesMax: room), protection)
    }
    return (push.message.bytes, true)
  }

  /// A number without content: a channel's newest once more, or that of several events.
  static func number(
    _ sequence: Int64,
    after previous: Int64,
    _ published: PublicationTime
  ) -> [UInt8] {
    PushMessage(sequence, after: previous, published, room: 0).message.bytes
  }

  /// A user marked notifications read.
  static func readMarks(
    _ marks: PushedReadMarks,
    _ published: PublicationTime,
    _ protection: Protection,
    bytesMax: Int
  ) -> [UInt8] {
    let content = TidingsV1.ReadMarks(notificationIDs: marks.notificationIDs).encoded()
    var push = PushMessage(
      marks.last,
      after: marks.previous,
      published,
      tag: marks.originTag,
      room: min(content.count, bytesMax)
    )
    push.add(.readMarks, push.fits(content.count, bytesMax) ? content : [], protection)
    return push.message.bytes
  }

  /// A user's channels changed.
  static func channelsChanged(_ published: PublicationTime) -> [UInt8] {
    var push = PushMessage(0, after: 0, published, room: 0)
    push.message.add(Field.channelsChanged, varint: 1)
    return push.message.bytes
  }

  /// A user's leases were released.
  static func workReleased(_ published: PublicationTime) -> [UInt8] {
    var push = PushMessage(0, after: 0, published, room: 0)
    push.message.add(Field.workReleased, varint: 1)
    return push.message.bytes
  }
}

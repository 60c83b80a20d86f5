internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

/// Encodes what is published: `tidings.v1.Push`.
struct PushMessage: ~Copyable {
  /// How the content is protected.
  enum Protection {
    /// Anybody who hears it can read it.
    case open
    /// Only the holders of the key can.
    case sealed(SealingKey, NonceSequence.Nonce)
  }

  /// The encoded time of publication, made once for all that is published together.
  struct PublicationTime {
    let time: Timestamp
    fileprivate let bytes: [UInt8]

    init(_ time: Timestamp) {
      self.time = time
      var message = SplicedMessage(capacity: 16)
      message.add(1, varint: UInt64(bitPattern: time.seconds))
      message.add(2, varint: UInt64(bitPattern: Int64(time.nanoseconds)))
      bytes = message.bytes
    }
  }

  /// Numbers of the members of `Push.content`.
  private enum Content: Int {
    case notification = 5
    case channelsChanged = 7
    case readMarks = 8

    var sealed: Int { rawValue + 1 }
  }

  private static let room = [UInt8](repeating: 0, count: SealingKey.overheadBytes)

  private var message: SplicedMessage

  private init(
    _ sequence: Int64,
    after previous: Int64,
    _ published: PublicationTime,
    tag: UInt64 = 0,
    room: Int
  ) {
    message = SplicedMessage(capacity: 64 + SealingKey.overheadBytes + room)
    if sequence != 0 { message.add(1, varint: UInt64(clamping: sequence)) }
    if previous != 0 { message.add(2, varint: UInt64(clamping: previous)) }
    message.add(3, published.bytes)
    if tag != 0 { message.add(4, fixed64: tag) }
  }

  private mutating func add(_ content: Content, _ bytes: [UInt8], _ protection: Protection) {
    switch protection {
    case .open: message.add(content.rawValue, bytes)
    case .sealed(let key, let nonce):
      message.add(content.sealed, Self.room, then: bytes) { key.seal($0, nonce) }
    }
  }

  /// Whether a content fits into so many bytes, before it is sealed.
  private func fits(_ bytes: Int, _ bytesMax: Int) -> Bool {
    message.bytes.count + SplicedMessage.memberBytes(bytes) <= bytesMax
  }

  /// An event; its notification goes out as it is stored, unless it is too large.
  ///
  /// - Parameters:
  ///   - event: The event; the one before it was published too.
  ///   - published: When it is published.
  ///   - protection: How.
  ///   - bytesMax: Largest push, before it is sealed; more is pruned.
  /// - Returns: The push, and that it was pruned.
  static func event(
    _ event: StoredEvent,
    _ published: PublicationTime,
    _ protection: Protection,
    bytesMax: Int
  ) -> (bytes: [UInt8], isPruned: Bool) {
    var push = PushMessage(
      event.sequence,
      after: event.sequence - 1,
      published,
      tag: event.originTag,
      room: min(event.body.count, bytesMax)
    )
    guard !push.fits(event.body.count, bytesMax) else {
      push.add(.notification, event.body, protection)
      return (push.message.bytes, false)
    }
    // Without content the push is still a hint.
    if let notification = try? TidingsV1.Notification(decoding: event.body) {
      let memberHead = SplicedMessage.memberBytes(bytesMax) - bytesMax
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
    push.message.add(Content.channelsChanged.rawValue, varint: 1)
    return push.message.bytes
  }
}

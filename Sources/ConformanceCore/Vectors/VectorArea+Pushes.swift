internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

extension VectorArea {
  /// Pushes, sealed and plain.
  static func pushes() throws -> Self {
    let key = Array(UInt8(0)..<32)
    let note = try TidingsV1.Notification(
      decoding: VectorMaker().binary("tidings.v1.Notification", pushed)
    )
    let marks = TidingsV1.ReadMarks(notificationIDs: ["c8-41", "c8-42"])
    let sealed = seal(note.encoded(), key)
    let sealedMarks = seal(marks.encoded(), key)
    let other = note.moved(to: "c9", 42)
    return Self(
      name: "pushes",
      about:
        "Pushes of the channel `c8`, number 42, and of a control topic; what is inside of them.",
      vectors: [
        opens("sealed", "A notification, sealed with the channel's key.", sealed, key, note),
        Vector(
          name: "plain",
          about: "A server that does not seal gives no key.",
          content: .push(
            push: push(.notification(note)),
            key: [],
            channelID: "c8",
            opened: note.encoded()
          )
        ),
        Vector(
          name: "sealed_read_marks",
          about: "Read marks on the control topic.",
          content: .push(
            push: push(.sealedReadMarks(sealedMarks)),
            key: key,
            channelID: "",
            opened: marks.encoded()
          )
        ),
        Vector(
          name: "plain_read_marks",
          about: "Read marks of a server that does not seal.",
          content: .push(
            push: push(.readMarks(marks)),
            key: [],
            channelID: "",
            opened: marks.encoded()
          )
        ),
        refused("wrong_key", "Another key does not open it.", sealed, [1] + key.dropFirst()),
        refused("short_key", "A key has 32 bytes.", sealed, Array(key.dropLast())),
        refused(
          "tampered_text",
          "The last byte was changed.",
          sealed.changed(at: sealed.count - 1),
          key
        ),
        refused("tampered_tag", "The tag was changed.", sealed.changed(at: 24), key),
        refused("tampered_nonce", "The nonce was changed.", sealed.changed(at: 0), key),
        refused("cut_short", "The last byte is missing.", Array(sealed.dropLast()), key),
        refused("shorter_than_a_box", "39 bytes hold no box.", Array(sealed.prefix(39)), key),
        refused("nothing_sealed", "No bytes at all.", [], key),
        refused(
          "sealed_junk",
          "It opens, and is no notification.",
          seal([0xff, 0xff, 0xff], key),
          key
        ),
        refused(
          "other_channel",
          "It opens, and is a notification of another channel, passed off for this one's.",
          seal(other.encoded(), key),
          key
        ),
        refused(
          "other_number",
          "It opens, and is another notification of the channel: an old one, sent again.",
          seal(note.moved(to: "c8", 41).encoded(), key),
          key
        ),
        Vector(
          name: "plain_where_sealed_is_due",
          about: "A client with a key uses only pushes sealed with it.",
          content: .push(
            push: push(.notification(note)),
            key: key,
            channelID: "c8",
            opened: nil
          )
        ),
        Vector(
          name: "plain_read_marks_where_sealed_are_due",
          about: "The same on the control topic.",
          content: .push(push: push(.readMarks(marks)), key: key, channelID: "", opened: nil)
        ),
        Vector(
          name: "read_marks_with_wrong_key",
          about: "Another key does not open them.",
          content: .push(
            push: push(.sealedReadMarks(sealedMarks)),
            key: [1] + key.dropFirst(),
            channelID: "",
            opened: nil
          )
        ),
        Vector(
          name: "not_a_push",
          about: "Bytes that are no push.",
          content: .push(push: [0xff, 0xff], key: key, channelID: "c8", opened: nil)
        ),
      ]
    )
  }

  /// Without what differs between subscribers.
  private static let pushed = """
    {"type": "NOTIFICATION_TYPE_QUERY",
     "databaseId": {"container": "default", "environment": "ENVIRONMENT_DEVELOPMENT",
       "scope": "DATABASE_SCOPE_PRIVATE"},
     "reason": "QUERY_NOTIFICATION_REASON_RECORD_CREATED",
     "recordId": {"recordName": "h1", "zoneId": {"zoneName": "_defaultZone", "ownerName": "ada"}},
     "recordType": "House", "recordFields": {"city": {"stringValue": "Köln"}},
     "committed": "2026-05-05T05:05:05.123Z",
     "position": {"channelId": "c8", "sequenceNumber": "42"}}
    """

  private static func push(_ content: TidingsV1.Push.Content) -> [UInt8] {
    TidingsV1.Push(
      sequenceNumber: 42,
      previousSequenceNumber: 41,
      published: .init(seconds: 1_777_957_505, nanos: 124_000_000),
      originTag: 0x0102_0304_0506_0708,
      content: content
    ).encoded()
  }

  private static func opens(
    _ name: String,
    _ about: String,
    _ sealed: [UInt8],
    _ key: [UInt8],
    _ note: TidingsV1.Notification
  ) -> Vector {
    Vector(
      name: name,
      about: about,
      content: .push(
        push: push(.sealedNotification(sealed)),
        key: key,
        channelID: "c8",
        opened: note.encoded()
      )
    )
  }

  private static func refused(
    _ name: String,
    _ about: String,
    _ sealed: [UInt8],
    _ key: [UInt8]
  ) -> Vector {
    Vector(
      name: name,
      about: about,
      content: .push(
        push: push(.sealedNotification(sealed)),
        key: key,
        channelID: "c8",
        opened: nil
      )
    )
  }

  /// Sealed with the nonce 0...23.
  private static func seal(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: SealingKey.overheadBytes) + message
    let nonce = NonceSequence.Nonce(bytes: Array(0..<24))
    bytes.withUnsafeMutableBytes { SealingKey(key)?.seal($0, nonce) }
    return bytes
  }
}

extension TidingsV1.Notification {
  fileprivate func moved(to channel: String, _ number: UInt64) -> Self {
    var copy = self
    copy.position = .init(channelID: channel, sequenceNumber: number)
    return copy
  }
}

extension [UInt8] {
  /// The same bytes but one.
  func changed(at index: Int) -> [UInt8] {
    var copy = self
    copy[index] ^= 1
    return copy
  }
}

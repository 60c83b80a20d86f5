internal import TidingsClient
internal import TidingsEncryption
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

/// What needs no server.
enum Codecs {
  /// Decodes a message and encodes it again.
  static func roundTrip(_ task: TidingsConformanceV1.RoundTrip) -> Subject.Outcome {
    guard let type = MessageTypes.all[task.messageType] else {
      return .unsupported("the message type \(task.messageType)")
    }
    do {
      let transcoder = try MessageTypes.transcoder.get()
      var bytes = task.payload
      if task.from == .json {
        bytes = try transcoder.encode(JSONValue(parsing: bytes), as: task.messageType)
      }
      bytes = try type.reencoded(bytes)
      if task.to == .json {
        return .encoded_(try transcoder.decode(bytes, as: task.messageType).text())
      }
      return .encoded_(bytes)
    } catch {
      if Fault.current == .acceptsJunk { return .encoded_([]) }
      return .refused("\(error)")
    }
  }

  /// Opens a push.
  static func openPush(_ task: TidingsConformanceV1.OpenPush) -> Subject.Outcome {
    do {
      let push = try TidingsV1.Push(decoding: task.push)
      switch content(push, task) {
      case .notification(let notification): return .opened(notification.encoded())
      case .readMarks(let ids): return .opened(TidingsV1.ReadMarks(notificationIDs: ids).encoded())
      case .hint: return .opened([])
      case .unreadable where Fault.current == .acceptsTamperedPushes: return .opened([])
      case .unreadable: return .refused("made with another key, or not what it should be")
      }
    } catch {
      return .refused("\(error)")
    }
  }

  private static func content(
    _ push: TidingsV1.Push,
    _ task: TidingsConformanceV1.OpenPush
  ) -> PushContent {
    task.channelID.isEmpty
      ? PushContent(push, controlKey: task.key)
      : PushContent(
        push,
        of: .init(position: .init(channelID: task.channelID), key: task.key)
      )
  }

  /// Opens an encrypted value.
  static func openValue(_ task: TidingsConformanceV1.OpenValue) -> Subject.Outcome {
    do {
      let ring = try KeyRing(text: String(decoding: task.keyRing, as: UTF8.self))
      let sealer = FieldSealer(
        ring,
        database: try .init(decoding: task.databaseID),
        user: task.user
      )
      let value = TidingsV1.FieldValue(
        value: .encryptedValue(try .init(decoding: task.value))
      )
      let opened = try sealer.open(value, in: task.field, of: try .init(decoding: task.recordID))
      return .opened(opened.encoded())
    } catch {
      return .refused("\(error)")
    }
  }
}

extension Message {
  fileprivate static func reencoded(_ bytes: [UInt8]) throws -> [UInt8] {
    try Self(decoding: bytes).encoded()
  }
}

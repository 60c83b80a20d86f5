package import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

/// What a push says, once it is opened and found to be what it claims.
package enum PushContent: Equatable {
  /// A notification, whole.
  case notification(TidingsV1.Notification)
  /// These notifications were marked read.
  case readMarks([String])
  /// Only the log knows: a number alone, or a push that was pruned.
  case hint
  /// It was made with another key, or is not what it should be.
  case unreadable

  /// Reads the push of a channel.
  ///
  /// - Parameters:
  ///   - push: The push.
  ///   - channel: The channel of its topic.
  package init(_ push: TidingsV1.Push, of channel: TidingsV1.Channel) {
    let notification: TidingsV1.Notification
    switch push.content {
    case nil:
      self = .hint
      return
    // A client with a key uses only pushes sealed with it.
    case .notification(let open) where channel.key.isEmpty: notification = open
    case .sealedNotification(let sealed):
      guard let bytes = SealingKey(channel.key)?.open(sealed),
        let opened = try? TidingsV1.Notification(decoding: bytes)
      else {
        self = .unreadable
        return
      }
      notification = opened
    default:
      self = .unreadable
      return
    }
    guard let position = notification.position,
      position
        == .init(
          channelID: channel.position?.channelID ?? "",
          sequenceNumber: push.sequenceNumber
        )
    else {
      self = .unreadable
      return
    }
    self = notification.isPruned ? .hint : .notification(notification)
  }

  /// Reads what a push on the control topic says of read marks.
  package init(_ push: TidingsV1.Push, controlKey: [UInt8]) {
    switch push.content {
    case nil: self = .hint
    case .readMarks(let marks) where controlKey.isEmpty: self = Self.content(of: marks)
    case .sealedReadMarks(let sealed):
      guard let bytes = SealingKey(controlKey)?.open(sealed),
        let marks = try? TidingsV1.ReadMarks(decoding: bytes)
      else {
        self = .unreadable
        return
      }
      self = Self.content(of: marks)
    default: self = .unreadable
    }
  }

  private static func content(of marks: TidingsV1.ReadMarks) -> PushContent {
    marks.notificationIDs.isEmpty ? .hint : .readMarks(marks.notificationIDs)
  }
}

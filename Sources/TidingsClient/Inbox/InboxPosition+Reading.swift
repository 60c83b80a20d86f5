package import TidingsProto

extension InboxPosition {
  /// The log up to this token was handed out; empty: from the oldest notification that is kept.
  package var changeToken: [UInt8] { progress.token }

  /// The user, the container and the environment whose notifications these are, for people.
  package var ownerText: String { owner.text }

  /// Whether a notification was handed out beyond the token.
  package func contains(_ notification: TidingsV1.Notification) -> Bool {
    guard notification.type != .readNotification, let position = notification.position else {
      return progress.readMarks.contains(notification.notificationID)
    }
    return progress.numbers[position.channelID].map { position.sequenceNumber <= $0 } ?? false
  }
}

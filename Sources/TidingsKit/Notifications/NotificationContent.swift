internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// What a notification holds, wherever it comes from: the log's message, and what only pushes know.
struct NotificationContent: Sendable {
  let wire: TidingsV1.Notification
  let type: CKNotification.NotificationType
  /// Whose subscription fired; empty: not known.
  let user: String
  var badge: UInt32?
  var isContainerKnown = true

  /// A notification of the log; `nil` for a kind that only a newer client knows.
  init?(_ wire: TidingsV1.Notification, for user: String, badge: UInt32? = nil) {
    guard let type = CKNotification.NotificationType(rawValue: Int(wire.type.rawValue)) else {
      return nil
    }
    self.wire = wire
    self.type = type
    self.user = user
    self.badge = badge
  }

  var scope: CKDatabase.Scope {
    switch wire.databaseID?.scope {
    case .public?: .public
    case .shared?: .shared
    default: .private
    }
  }

  // MARK: Archives

  private enum Key {
    static let notification = "notification"
    static let user = "user"
    static let badge = "badge"
    static let isContainerKnown = "isContainerKnown"
  }

  func encode(with coder: NSCoder) {
    coder.encode(Data(wire.encoded()) as NSData, forKey: Key.notification)
    coder.encode(NSString(string: user), forKey: Key.user)
    coder.encode(badge.map { NSNumber(value: $0) }, forKey: Key.badge)
    coder.encode(isContainerKnown, forKey: Key.isContainerKnown)
  }

  init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: Key.notification),
      let wire = try? TidingsV1.Notification(decoding: Array(Data(referencing: data))),
      let user = coder.object(of: NSString.self, forKey: Key.user)
    else { return nil }
    let badge = coder.object(of: NSNumber.self, forKey: Key.badge)
    self.init(wire, for: String(describing: user), badge: badge?.uint32Value)
    isContainerKnown = coder.decodeBool(forKey: Key.isContainerKnown)
  }
}

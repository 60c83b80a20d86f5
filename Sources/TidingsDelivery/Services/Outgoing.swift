internal import TidingsFiles
internal import TidingsJSON
package import TidingsProto
internal import TidingsUserInfo

/// A delivery as services get it.
package struct Outgoing: Sendable {
  package let id: String
  package let user: String
  package let notification: TidingsV1.Notification
  package let isTest: Bool
  /// When the notification was found in the log, or was sent again by its user.
  package let createdSeconds: Int64
  /// When the target was added the last time; for those that report since when an address is gone.
  package let targetAddedMilliseconds: Int64

  package init(_ delivery: TidingsV1.Delivery) {
    id = delivery.deliveryID
    user = delivery.userName
    isTest = delivery.isTest
    createdSeconds = delivery.created?.seconds ?? 0
    targetAddedMilliseconds =
      delivery.targetAdded.map { $0.seconds * 1_000 + Int64($0.nanos) / 1_000_000 } ?? 0
    notification = delivery.isTest ? Self.test : delivery.notification ?? .init()
  }

  private static let test = TidingsV1.Notification(
    notificationInfo: .init(alertBody: "A test of Tidings")
  )

  /// When the change was committed, in seconds since 1970.
  var committedSeconds: Int64 { notification.committed?.seconds ?? createdSeconds }

  /// Something is shown or played.
  var isAlert: Bool {
    guard let info = notification.notificationInfo else { return false }
    return !info.alertBody.isEmpty || !info.alertLocalizationKey.isEmpty || !info.title.isEmpty
      || !info.titleLocalizationKey.isEmpty || !info.subtitle.isEmpty
      || !info.subtitleLocalizationKey.isEmpty || !info.soundName.isEmpty
  }

  /// A hash of some text, of so many bytes.
  static func hash(_ text: String, bytes: Int) -> [UInt8] {
    Array(SHA256.checksum(of: Array(text.utf8)).prefix(bytes))
  }

  /// CloudKit's dictionary, with as much as fits.
  ///
  /// First the fields' values go, then texts; what is left names the record.
  ///
  /// - Parameter fits: Whether it fits.
  /// - Returns: The dictionary; `nil`: not even the least of it fits.
  func userInfo(fitting fits: (JSONObject) -> Bool) -> JSONObject? {
    var content = notification
    for step in 0... {
      let object = UserInfo(content, for: user).json.object ?? [:]
      if fits(object) { return object }
      content.isPruned = true
      switch step {
      case 0: (content.recordFields, content.omittedKeys) = ([:], [])
      case 1:
        content.alertLocalizationValues = []
        content.titleLocalizationValues = []
        content.subtitleLocalizationValues = []
        content.notificationInfo?.alertLaunchImage = ""
      case 2: content.notificationInfo = .init(shouldSendContentAvailable: true)
      default: return nil
      }
    }
    return nil
  }
}

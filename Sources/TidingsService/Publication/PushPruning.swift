internal import TidingsProto
internal import TidingsProtobuf

/// Takes parts from a notification that is too large to be pushed, in CloudKit's order, until it fits.
///
/// What is left last is what a client needs to find the notification in the log.
enum PushPruning {
  /// Something that can be left out.
  struct Part: Sendable {
    let name: String
    let remove: @Sendable (inout TidingsV1.Notification) -> Void

    init(_ name: String, _ remove: @escaping @Sendable (inout TidingsV1.Notification) -> Void) {
      self.name = name
      self.remove = remove
    }
  }

  /// In the order in which parts go.
  ///
  /// CloudKit does not say when titles and subtitles go: here they go where the alert's own text of the
  /// same kind does, before it.
  static let ladder = [
    Part("fields") {
      $0.recordFields = [:]
      $0.omittedKeys = []
      $0.notificationInfo?.desiredKeys = []
    },
    Part("container") { $0.databaseID = nil },
    Part("record") {
      $0.reason = .unspecified
      $0.recordID = nil
      $0.recordType = ""
    },
    Part("sound") { $0.notificationInfo?.soundName = "" },
    Part("launch image") { $0.notificationInfo?.alertLaunchImage = "" },
    Part("action key") { $0.notificationInfo?.alertActionLocalizationKey = "" },
    Part("subtitle") { $0.notificationInfo?.subtitle = "" },
    Part("title") { $0.notificationInfo?.title = "" },
    Part("alert body") { $0.notificationInfo?.alertBody = "" },
    Part("subtitle arguments") {
      $0.subtitleLocalizationValues = []
      $0.notificationInfo?.subtitleLocalizationArgs = []
    },
    Part("title arguments") {
      $0.titleLocalizationValues = []
      $0.notificationInfo?.titleLocalizationArgs = []
    },
    Part("alert arguments") {
      $0.alertLocalizationValues = []
      $0.notificationInfo?.alertLocalizationArgs = []
    },
    Part("subtitle key") { $0.notificationInfo?.subtitleLocalizationKey = "" },
    Part("title key") { $0.notificationInfo?.titleLocalizationKey = "" },
    Part("alert key") { $0.notificationInfo?.alertLocalizationKey = "" },
    Part("collapse id") {
      $0.collapseID = ""
      $0.notificationInfo?.collapseIDKey = ""
    },
    Part("category") { $0.notificationInfo?.category = "" },
    // The badge and the other marks.
    Part("info") { $0.notificationInfo = nil },
  ]

  /// Encodes a notification, without the parts for which there is no room.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - bytesMax: Room, in bytes.
  /// - Returns: At most so many bytes, or, if that is impossible, what remains when all parts of the
  ///   ladder are gone: type, number and time.
  static func encode(_ notification: TidingsV1.Notification, bytesMax: Int) -> [UInt8] {
    var bytes = notification.encoded()
    guard bytes.count > bytesMax else { return bytes }
    var notification = notification
    notification.isPruned = true
    for part in ladder {
      part.remove(&notification)
      bytes = notification.encoded()
      if bytes.count <= bytesMax { break }
    }
    return bytes
  }
}

internal import CommandLineTools
internal import TidingsProto

/// What a subscription shows and carries, as options.
enum NotificationInfoOptions {
  static let options = [
    Option("alert-body", value: "TEXT", "Text of the alert."),
    Option("alert-key", value: "KEY", "Key of a localized text; wins over --alert-body."),
    Option("alert-args", value: "A,B", "Fields whose values fill the localized text."),
    Option("title", value: "TEXT", "Title of the alert."),
    Option("title-key", value: "KEY", "Key of a localized title; wins over --title."),
    Option("title-args", value: "A,B", "Fields whose values fill the localized title."),
    Option("subtitle", value: "TEXT", "Subtitle of the alert."),
    Option("subtitle-key", value: "KEY", "Key of a localized subtitle; wins over --subtitle."),
    Option("subtitle-args", value: "A,B", "Fields whose values fill the localized subtitle."),
    Option("action-key", value: "KEY", "Key of the localized text of the action button."),
    Option("launch-image", value: "NAME", "Image to show while launching."),
    Option("sound", value: "NAME", "Sound; `default` for the system's."),
    Option("category", value: "NAME", "Category of actions."),
    Option(
      "collapse",
      value: "KEY",
      "Notifications with the same id replace each other: the field that has it, or the id."
    ),
    Option("desired-keys", value: "A,B,C", "Fields that the notification carries."),
    Option(flag: "badge", "Increments the badge."),
    Option(flag: "content-available", "Wakes the application without showing anything."),
    Option(flag: "mutable-content", "Lets the application change the notification."),
  ]

  /// What the options say; `nil`: nothing, a silent notification.
  static func info(_ arguments: ParsedArguments) -> TidingsV1.NotificationInfo? {
    func text(_ name: String) -> String { arguments[name] ?? "" }
    func list(_ name: String) -> [String] { Verb.commaSeparated(text(name)) }
    var info = TidingsV1.NotificationInfo()
    info.alertBody = text("alert-body")
    info.alertLocalizationKey = text("alert-key")
    info.alertLocalizationArgs = list("alert-args")
    info.title = text("title")
    info.titleLocalizationKey = text("title-key")
    info.titleLocalizationArgs = list("title-args")
    info.subtitle = text("subtitle")
    info.subtitleLocalizationKey = text("subtitle-key")
    info.subtitleLocalizationArgs = list("subtitle-args")
    info.alertActionLocalizationKey = text("action-key")
    info.alertLaunchImage = text("launch-image")
    info.soundName = text("sound")
    info.category = text("category")
    info.collapseIDKey = text("collapse")
    info.desiredKeys = list("desired-keys")
    info.shouldBadge = arguments.has("badge")
    info.shouldSendContentAvailable = arguments.has("content-available")
    info.shouldSendMutableContent = arguments.has("mutable-content")
    return info == TidingsV1.NotificationInfo() ? nil : info
  }
}

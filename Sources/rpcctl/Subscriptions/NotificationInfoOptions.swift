internal import CommandLineTools
internal import TidingsProto

/// What a subscription shows and carries, as options.
enum NotificationInfoOptions {
  private static let alertBody = OptionKey<String?>(
    "alert-body",
    value: "TEXT",
    "Text of the alert."
  )
  private static let alertKey = OptionKey<String?>(
    "alert-key",
    value: "KEY",
    "Key of a localized text; wins over --alert-body."
  )
  private static let alertArgs = OptionKey<String?>(
    "alert-args",
    value: "A,B",
    "Fields whose values fill the localized text."
  )
  private static let title = OptionKey<String?>("title", value: "TEXT", "Title of the alert.")
  private static let titleKey = OptionKey<String?>(
    "title-key",
    value: "KEY",
    "Key of a localized title; wins over --title."
  )
  private static let titleArgs = OptionKey<String?>(
    "title-args",
    value: "A,B",
    "Fields whose values fill the localized title."
  )
  private static let subtitle = OptionKey<String?>(
    "subtitle",
    value: "TEXT",
    "Subtitle of the alert."
  )
  private static let subtitleKey = OptionKey<String?>(
    "subtitle-key",
    value: "KEY",
    "Key of a localized subtitle; wins over --subtitle."
  )
  private static let subtitleArgs = OptionKey<String?>(
    "subtitle-args",
    value: "A,B",
    "Fields whose values fill the localized subtitle."
  )
  private static let actionKey = OptionKey<String?>(
    "action-key",
    value: "KEY",
    "Key of the localized text of the action button."
  )
  private static let launchImage = OptionKey<String?>(
    "launch-image",
    value: "NAME",
    "Image to show while launching."
  )
  private static let sound = OptionKey<String?>(
    "sound",
    value: "NAME",
    "Sound; `default` for the system's."
  )
  private static let category = OptionKey<String?>(
    "category",
    value: "NAME",
    "Category of actions."
  )
  private static let collapse = OptionKey<String?>(
    "collapse",
    value: "KEY",
    "Notifications with the same id replace each other: the field that has it, or the id."
  )
  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B,C",
    "Fields that the notification carries."
  )
  private static let badge = OptionKey<Bool>(flag: "badge", "Increments the badge.")
  private static let contentAvailable = OptionKey<Bool>(
    flag: "content-available",
    "Wakes the application without showing anything."
  )
  private static let mutableContent = OptionKey<Bool>(
    flag: "mutable-content",
    "Lets the application change the notification."
  )

  static let options = [Option](
    of: alertBody,
    alertKey,
    alertArgs,
    title,
    titleKey,
    titleArgs,
    subtitle,
    subtitleKey,
    subtitleArgs,
    actionKey,
    launchImage,
    sound,
    category,
    collapse,
    desiredKeys,
    badge,
    contentAvailable,
    mutableContent
  )

  /// What the options say; `nil`: nothing, a silent notification.
  static func info(_ arguments: ParsedArguments) -> TidingsV1.NotificationInfo? {
    func text(_ key: OptionKey<String?>) -> String { arguments[key] ?? "" }
    func list(_ key: OptionKey<String?>) -> [String] { Verb.commaSeparated(text(key)) }
    var info = TidingsV1.NotificationInfo()
    info.alertBody = text(alertBody)
    info.alertLocalizationKey = text(alertKey)
    info.alertLocalizationArgs = list(alertArgs)
    info.title = text(title)
    info.titleLocalizationKey = text(titleKey)
    info.titleLocalizationArgs = list(titleArgs)
    info.subtitle = text(subtitle)
    info.subtitleLocalizationKey = text(subtitleKey)
    info.subtitleLocalizationArgs = list(subtitleArgs)
    info.alertActionLocalizationKey = text(actionKey)
    info.alertLaunchImage = text(launchImage)
    info.soundName = text(sound)
    info.category = text(category)
    info.collapseIDKey = text(collapse)
    info.desiredKeys = list(desiredKeys)
    info.shouldBadge = arguments[badge]
    info.shouldSendContentAvailable = arguments[contentAvailable]
    info.shouldSendMutableContent = arguments[mutableContent]
    return info == TidingsV1.NotificationInfo() ? nil : info
  }
}

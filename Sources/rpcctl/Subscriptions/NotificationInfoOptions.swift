internal import CommandLineTools
internal import TidingsProto

/// The options for the content of notifications.
enum NotificationInfoOptions {
  private static let alertBody = OptionKey<String?>(
    "alert-body",
    value: "TEXT",
    mayBeEmpty: true,
    "The text of the alert."
  )
  private static let alertKey = OptionKey<String?>(
    "alert-key",
    value: "KEY",
    "The key of a localized text; overrides --alert-body."
  )
  private static let alertArgs = OptionKey<String?>(
    "alert-args",
    value: "A,B",
    "Fields whose values are inserted into the localized text."
  )
  private static let title = OptionKey<String?>(
    "title",
    value: "TEXT",
    mayBeEmpty: true,
    "The title of the alert."
  )
  private static let titleKey = OptionKey<String?>(
    "title-key",
    value: "KEY",
    "The key of a localized title; overrides --title."
  )
  private static let titleArgs = OptionKey<String?>(
    "title-args",
    value: "A,B",
    "Fields whose values are inserted into the localized title."
  )
  private static let subtitle = OptionKey<String?>(
    "subtitle",
    value: "TEXT",
    mayBeEmpty: true,
    "The subtitle of the alert."
  )
  private static let subtitleKey = OptionKey<String?>(
    "subtitle-key",
    value: "KEY",
    "The key of a localized subtitle; overrides --subtitle."
  )
  private static let subtitleArgs = OptionKey<String?>(
    "subtitle-args",
    value: "A,B",
    "Fields whose values are inserted into the localized subtitle."
  )
  private static let actionKey = OptionKey<String?>(
    "action-key",
    value: "KEY",
    "The key of the localized text of the action button."
  )
  private static let launchImage = OptionKey<String?>(
    "launch-image",
    value: "NAME",
    "The image to show while launching."
  )
  private static let sound = OptionKey<String?>(
    "sound",
    value: "NAME",
    "The sound; `default` is the system's."
  )
  private static let category = OptionKey<String?>(
    "category",
    value: "NAME",
    "The category of actions."
  )
  private static let collapse = OptionKey<String?>(
    "collapse",
    value: "KEY",
    "The id, or a field with it; notifications with the same id replace each other."
  )
  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B,C",
    "Fields to include in the notification."
  )
  private static let badge = OptionKey<Bool>(flag: "badge", "Increment the badge.")
  private static let contentAvailable = OptionKey<Bool>(
    flag: "content-available",
    "Wake the application without showing anything."
  )
  private static let mutableContent = OptionKey<Bool>(
    flag: "mutable-content",
    "Let the application change the notification."
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

  /// Returns the notification content of the options; `nil`: none, a silent notification.
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

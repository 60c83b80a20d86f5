internal import CommandLineTools
internal import TidingsProto

/// A subscription on the command line.
enum SubscriptionOptions {
  /// The options that select the kind of subscription.
  private static let kinds = [Option](of: queryOption, zoneChanges, databaseChanges)

  private static let changesOption = OptionKey<String?>(
    "on",
    value: "create,update,delete,enter,leave",
    "Query: the changes that fire it (default: create, update, delete)."
  )
  private static let once = OptionKey<Bool>(
    flag: "once",
    "Query: fire once, then delete the subscription."
  )
  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "Query: only records of this zone (default: all zones)."
  )

  private static let queryOptions = [Option](
    of: Verb.whereText.described("Query: the predicate (default: all records)."),
    Verb.argument,
    changesOption,
    once,
    zone
  )

  private static let queryOption = OptionKey<String?>(
    "query",
    value: "TYPE",
    "Subscribe to records of this type."
  )
  private static let zoneChanges = OptionKey<String?>(
    "zone-changes",
    value: "ZONE",
    "Subscribe to all changes of a zone."
  )
  private static let databaseChanges = OptionKey<Bool>(
    flag: "database-changes",
    "Subscribe to all changes of the database."
  )
  private static let typeOption = OptionKey<String?>(
    "type",
    value: "TYPE",
    "Zone and database: only changes of records of this type."
  )
  private static let id = OptionKey<String?>(
    "id",
    value: "ID",
    "The subscription's id (default: a generated one)."
  )

  static let options =
    [Option](of: queryOption, zoneChanges, databaseChanges) + queryOptions
    + [Option](of: typeOption, id)

  /// Returns the subscription that the options describe; `nil`: none.
  static func subscription(_ invocation: Invocation) throws -> TidingsV1.Subscription? {
    let arguments = invocation.arguments
    let given = kinds.filter(arguments.has)
    guard let kind = given.first else {
      let others = options + NotificationInfoOptions.options
      if let needless = others.first(where: arguments.has) {
        throw UsageError(
          "\(needless.spelling) requires --query TYPE, --zone-changes ZONE or --database-changes"
        )
      }
      return nil
    }
    guard given.count == 1 else {
      throw UsageError(
        "\(given[0].spelling) and \(given[1].spelling) cannot be combined: create one subscription at a time"
      )
    }
    var subscription = TidingsV1.Subscription(subscriptionID: arguments[id] ?? "")
    subscription.notificationInfo = NotificationInfoOptions.info(arguments)
    if kind.name == queryOption.name {
      try describeQuery(&subscription, invocation)
    } else {
      try describeFeed(&subscription, kind, invocation)
    }
    return subscription
  }

  private static func describeQuery(
    _ subscription: inout TidingsV1.Subscription,
    _ invocation: Invocation
  ) throws {
    let arguments = invocation.arguments
    guard arguments[typeOption] == nil else {
      throw UsageError("--query and --type cannot be combined")
    }
    subscription.type = .query
    subscription.recordType = arguments[queryOption] ?? ""
    subscription.predicate = try Verb.predicate(invocation)
    subscription.zoneID = try arguments[zone].map { try invocation.zoneID($0) }
    subscription.firesOnce = arguments[once]
    for change in Verb.commaSeparated(arguments[changesOption] ?? "create,update,delete") {
      switch change {
      case "create": subscription.firesOnRecordCreation = true
      case "update": subscription.firesOnRecordUpdate = true
      case "delete": subscription.firesOnRecordDeletion = true
      case "enter": subscription.firesOnRecordEnter = true
      case "leave": subscription.firesOnRecordLeave = true
      default:
        throw UsageError("invalid --on '\(change)': use create, update, delete, enter or leave")
      }
    }
  }

  private static func describeFeed(
    _ subscription: inout TidingsV1.Subscription,
    _ kind: Option,
    _ invocation: Invocation
  ) throws(UsageError) {
    let arguments = invocation.arguments
    if let needless = queryOptions.first(where: arguments.has) {
      throw UsageError(
        "\(needless.spelling) requires --query: \(kind.spelling) fires on all changes"
      )
    }
    subscription.recordType = arguments[typeOption] ?? ""
    if kind.name == zoneChanges.name {
      subscription.type = .recordZone
      subscription.zoneID = try invocation.zoneID(arguments[zoneChanges] ?? "")
    } else {
      subscription.type = .database
    }
  }
}

internal import CommandLineTools
internal import TidingsProto

/// A subscription, as options.
enum SubscriptionOptions {
  /// The options that say of what kind it is.
  private static let kinds = [Option](of: queryOption, zoneChanges, databaseChanges)

  private static let changesOption = OptionKey<String?>(
    "on",
    value: "create,update,delete,enter,leave",
    "Query: which changes fire; without it the first three."
  )
  private static let once = OptionKey<Bool>(
    flag: "once",
    "Query: fires once, then the subscription is deleted."
  )
  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "Query: only records of this zone; without it all zones."
  )

  private static let queryOptions = [Option](
    of: Verb.whereText.described("Query: which records; without it all."),
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
    "The subscription's id; without it one is made up."
  )

  static let options =
    [Option](of: queryOption, zoneChanges, databaseChanges) + queryOptions
    + [Option](of: typeOption, id)

  /// The subscription that the options describe; `nil` when they describe none.
  static func subscription(_ invocation: Invocation) throws -> TidingsV1.Subscription? {
    let arguments = invocation.arguments
    let given = kinds.filter(arguments.has)
    guard let kind = given.first else {
      let others = options + NotificationInfoOptions.options
      if let needless = others.first(where: arguments.has) {
        throw UsageError(
          "\(needless.spelling) needs --query TYPE, --zone-changes ZONE or --database-changes"
        )
      }
      return nil
    }
    guard given.count == 1 else {
      throw UsageError(
        "\(given[0].spelling) and \(given[1].spelling) are two subscriptions: call twice"
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
      throw UsageError("--query TYPE names the record type already: leave out --type")
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
        throw UsageError("--on takes create, update, delete, enter and leave, not '\(change)'")
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
      throw UsageError("\(needless.spelling) is for --query: \(kind.spelling) fires on all changes")
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

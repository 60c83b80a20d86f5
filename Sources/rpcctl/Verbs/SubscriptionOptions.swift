internal import CommandLineTools
internal import TidingsProto

/// A subscription, as options.
enum SubscriptionOptions {
  /// The options that say of what kind it is.
  private static let kinds = ["query", "zone-changes", "database-changes"]

  private static let queryOptions = [
    Option("where", value: "PREDICATE", "Query: which records; without it all."),
    Verb.argumentOption,
    Option(
      "on",
      value: "create,update,delete,enter,leave",
      "Query: which changes fire; without it the first three."
    ),
    Option(flag: "once", "Query: fires once, then the subscription is deleted."),
    Option("zone", value: "ZONE", "Query: only records of this zone; without it all zones."),
  ]

  static let options =
    [
      Option("query", value: "TYPE", "Subscribe to records of this type."),
      Option("zone-changes", value: "ZONE", "Subscribe to all changes of a zone."),
      Option(flag: "database-changes", "Subscribe to all changes of the database."),
    ] + queryOptions + [
      Option("type", value: "TYPE", "Zone and database: only changes of records of this type."),
      Option("id", value: "ID", "The subscription's id; without it one is made up."),
    ]

  /// The subscription that the options describe; `nil` when they describe none.
  static func subscription(_ invocation: Invocation) throws -> TidingsV1.Subscription? {
    let arguments = invocation.arguments
    let given = kinds.filter(arguments.has)
    guard let kind = given.first else {
      let names = (options + NotificationInfoOptions.options).map(\.name)
      if let needless = names.first(where: arguments.has) {
        throw UsageError(
          "--\(needless) needs --query TYPE, --zone-changes ZONE or --database-changes"
        )
      }
      return nil
    }
    guard given.count == 1 else {
      throw UsageError("--\(given[0]) and --\(given[1]) are two subscriptions: call twice")
    }
    var subscription = TidingsV1.Subscription(subscriptionID: arguments["id"] ?? "")
    subscription.notificationInfo = NotificationInfoOptions.info(arguments)
    if kind == "query" {
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
    guard !arguments.has("type") else {
      throw UsageError("--query TYPE names the record type already: leave out --type")
    }
    subscription.type = .query
    subscription.recordType = arguments["query"] ?? ""
    subscription.predicate = try Verb.predicate(invocation)
    subscription.zoneID = try arguments["zone"].map { try invocation.zoneID($0) }
    subscription.firesOnce = arguments.has("once")
    for change in Verb.commaSeparated(arguments["on"] ?? "create,update,delete") {
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
    _ kind: String,
    _ invocation: Invocation
  ) throws(UsageError) {
    let arguments = invocation.arguments
    if let needless = queryOptions.map(\.name).first(where: arguments.has) {
      throw UsageError("--\(needless) is for --query: --\(kind) fires on all changes")
    }
    subscription.recordType = arguments["type"] ?? ""
    if kind == "zone-changes" {
      subscription.type = .recordZone
      subscription.zoneID = try invocation.zoneID(arguments["zone-changes"] ?? "")
    } else {
      subscription.type = .database
    }
  }
}

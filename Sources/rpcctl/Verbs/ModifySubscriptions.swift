internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let modifySubscriptions = Verb(
    command: Command(
      "modify-subscriptions",
      "Saves and deletes subscriptions.",
      options: [
        Option("query", value: "TYPE", "Subscribe to records of this type."),
        Option("where", value: "PREDICATE", "Which of them; without it all."),
        argumentOption,
        Option(
          "on",
          value: "create,update,delete",
          "Which changes fire; without it all three."
        ),
        Option(flag: "once", "Fires once, then the subscription is deleted."),
        Option("id", value: "ID", "The subscription's id; without it one is made up."),
        Option("zone", value: "ZONE", "Only records of this zone; without it all zones."),
        Option("alert-body", value: "TEXT", "Text of the alert."),
        Option("title", value: "TEXT", "Title of the alert."),
        Option("subtitle", value: "TEXT", "Subtitle of the alert."),
        Option("sound", value: "NAME", "Sound; `default` for the system's."),
        Option("category", value: "NAME", "Category of actions."),
        Option("collapse", value: "KEY", "Notifications with the same key replace each other."),
        Option("desired-keys", value: "A,B,C", "Fields that the notification carries, at most 3."),
        Option(flag: "badge", "Increments the badge."),
        Option(flag: "content-available", "Wakes the application without showing anything."),
        Option(flag: "mutable-content", "Lets the application change the notification."),
        Option(
          "save",
          value: "JSON|@FILE|-",
          takesMany: true,
          "Subscriptions to save, as fetch-subscriptions prints them."
        ),
        Option("delete", value: "ID…", takesMany: true, "Subscriptions to delete."),
      ],
      discussion: """
        Examples:
          rpcctl modify-subscriptions --query Houses --where 'price > 100000' \\
            --on create,update --id pricey --alert-body 'A pricey house'
          rpcctl modify-subscriptions --query Houses --where 'city == %@' --arg Berlin
          rpcctl modify-subscriptions --delete pricey
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var request = TidingsV1.ModifySubscriptionsRequest(
        databaseID: invocation.settings.databaseID,
        subscriptionIDsToDelete: invocation.arguments.all("delete")
      )
      for argument in invocation.arguments.all("save") {
        for json in try invocation.input.values(argument, "--save") {
          let path = "subscriptions[\(request.subscriptionsToSave.count)]"
          request.subscriptionsToSave.append(try SubscriptionJSON.subscription(json, path))
        }
      }
      if let subscription = try querySubscription(invocation) {
        request.subscriptionsToSave.append(subscription)
      }
      for index in request.subscriptionsToSave.indices
      where request.subscriptionsToSave[index].subscriptionID.isEmpty {
        request.subscriptionsToSave[index].subscriptionID = randomID()
      }
      guard !request.subscriptionsToSave.isEmpty || !request.subscriptionIDsToDelete.isEmpty else {
        throw UsageError("nothing to do: --query, --save and --delete say what")
      }
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.SubscriptionService.Client(transport)
        .modifySubscriptions(request, options: invocation.callOptions)
      return try SubscriptionResults.print(response.results, invocation.output)
    }
  )

  /// The subscription that the options describe; `nil` without `--query`.
  static func querySubscription(_ invocation: Invocation) throws -> TidingsV1.Subscription? {
    let arguments = invocation.arguments
    guard let recordType = arguments["query"] else {
      let needless = [
        "where", "arg", "on", "once", "id", "zone", "alert-body", "title", "subtitle", "sound",
        "category", "collapse", "desired-keys", "badge", "content-available", "mutable-content",
      ].first(where: arguments.has)
      if let needless { throw UsageError("--\(needless) needs --query TYPE") }
      return nil
    }
    var subscription = TidingsV1.Subscription()
    subscription.subscriptionID = arguments["id"] ?? ""
    subscription.type = .query
    subscription.recordType = recordType
    subscription.predicate = try predicate(invocation)
    subscription.zoneID = arguments["zone"].map { .init(zoneName: $0) }
    for change in commaSeparated(arguments["on"] ?? "create,update,delete") {
      switch change {
      case "create": subscription.firesOnRecordCreation = true
      case "update": subscription.firesOnRecordUpdate = true
      case "delete": subscription.firesOnRecordDeletion = true
      default: throw UsageError("--on takes create, update and delete, not '\(change)'")
      }
    }
    subscription.firesOnce = arguments.has("once")
    subscription.notificationInfo = notificationInfo(arguments)
    return subscription
  }

  private static func notificationInfo(_ arguments: ParsedArguments) -> TidingsV1.NotificationInfo?
  {
    var info = TidingsV1.NotificationInfo()
    info.alertBody = arguments["alert-body"] ?? ""
    info.title = arguments["title"] ?? ""
    info.subtitle = arguments["subtitle"] ?? ""
    info.soundName = arguments["sound"] ?? ""
    info.category = arguments["category"] ?? ""
    info.collapseIDKey = arguments["collapse"] ?? ""
    info.desiredKeys = commaSeparated(arguments["desired-keys"] ?? "")
    info.shouldBadge = arguments.has("badge")
    info.shouldSendContentAvailable = arguments.has("content-available")
    info.shouldSendMutableContent = arguments.has("mutable-content")
    return info == TidingsV1.NotificationInfo() ? nil : info
  }

  private static func randomID() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return "s-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}

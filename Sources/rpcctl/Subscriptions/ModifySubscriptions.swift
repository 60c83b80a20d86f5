internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let save = OptionKey<[String]>(
    list: "save",
    value: "JSON|@FILE|-",
    takesMany: true,
    "Subscriptions to save, as printed by `subscriptions list`."
  )
  private static let file = OptionKey<[String]>(
    list: "file",
    letter: "f",
    value: "FILE|-",
    takesMany: true,
    completion: .files,
    "Files with subscriptions to save; - is standard input."
  )
  private static let delete = OptionKey<[String]>(
    list: "delete",
    value: "ID…",
    takesMany: true,
    completion: .live("subscriptions"),
    "Subscriptions to delete."
  )

  static let modifySubscriptions = Verb(
    command: Command(
      "subscriptions create",
      aliases: ["modify-subscriptions"],
      "Create, change and delete subscriptions.",
      options: SubscriptionOptions.options + NotificationInfoOptions.options
        + [Option](of: save, file, delete),
      discussion: """
        A query subscription fires for records of a type that match a predicate: when a record is
        created, updated or deleted, or when an update makes it match (enter) or no longer match (leave).
        A change fires it at most once, for the first applicable kind in --on, in the order create,
        delete, enter, leave, update. A zone or database subscription fires once for each zone that a
        call changes.

        Examples:
          rpcctl subscriptions create --query Houses --where 'price > 100000' \\
            --on create,update --id pricey --alert-body 'A pricey house'
          rpcctl subscriptions create --query Houses --where 'city == %@' --arg Berlin --on enter,leave
          rpcctl subscriptions create --zone-changes notes --type Note --content-available
          rpcctl subscriptions create --database-changes --id everything
          rpcctl modify-subscriptions --delete pricey
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let delete = arguments[delete]
      var saved: [TidingsV1.Subscription] = []
      let files = arguments[file].map { $0 == "-" ? $0 : "@" + $0 }
      for (option, argument) in arguments[save].map({ (save.spelling, $0) })
        + files.map({ (file.spelling, $0) })
      {
        for json in try invocation.input.values(argument, option) {
          saved.append(try SubscriptionJSON.subscription(json, "subscriptions[\(saved.count)]"))
        }
      }
      if let subscription = try SubscriptionOptions.subscription(invocation) {
        saved.append(subscription)
      }
      guard !saved.isEmpty || !delete.isEmpty else {
        throw UsageError(
          "nothing to do: use --query, --zone-changes, --database-changes, --save, --file or "
            + "--delete"
        )
      }
      return try await invocation.modifySubscriptions(save: saved, delete: delete)
    }
  )
}

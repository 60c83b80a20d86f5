internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let recordOption = OptionKey<String?>(
    "record",
    value: "JSON|@FILE|-",
    "The record as JSON, after the change."
  )
  private static let before = OptionKey<String?>(
    "before",
    value: "JSON|@FILE|-",
    "The record before the change (default: none, the record is created)."
  )
  private static let save = OptionKey<Bool>(
    flag: "save",
    "Use the stored record as the one before; --record then has only the changed fields."
  )
  private static let delete = OptionKey<String?>(
    "delete",
    value: "NAME",
    "Explain the deletion of this stored record."
  )

  static let explainSubscriptions = Verb(
    command: Command(
      "subscriptions test",
      aliases: ["explain-subscriptions"],
      "Explain which subscriptions a change would fire, and why others would not.",
      operands: "[ID…]",
      completion: .live("subscriptions"),
      options: [Option](of: recordOption, before, save, delete, .zone),
      discussion: """
        Nothing is written. Without ID, explains all subscriptions of the user in the database. For a
        predicate that is false, both values of the first false term are shown. --before alone explains
        the deletion of that record.

        Examples:
          rpcctl subscriptions test --record '{"recordType":"Houses","fields":{"price":90000}}'
          rpcctl subscriptions test --save pricey \\
            --record '{"recordType":"Houses","recordName":"h1","fields":{"price":200000}}'
          rpcctl subscriptions test pricey --record @houses.json
          rpcctl subscriptions test --delete h1
        """
    ),
    run: { invocation in
      let request = try explanationRequest(invocation)
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.SubscriptionService.Client(transport)
        .explainSubscriptions(request, options: invocation.callOptions)
      invocation.output.write(response.explanations.map(json)) {
        var table = Table(["SUBSCRIPTION", "FIRES", "REASON", "WHY"])
        for explanation in response.explanations {
          table.append([
            explanation.subscriptionID, explanation.fires ? "yes" : "no",
            reason(explanation) ?? "", explanation.message,
          ])
        }
        return table
      }
      if response.explanations.isEmpty, invocation.output.format == .table {
        invocation.output.log("no subscriptions in this database")
      }
      return .success
    }
  )

  private static func explanationRequest(
    _ invocation: Invocation
  ) throws
    -> TidingsV1.ExplainSubscriptionsRequest
  {
    let arguments = invocation.arguments
    func record(_ key: OptionKey<String?>) throws -> TidingsV1.Record? {
      guard let argument = arguments[key] else { return nil }
      let json = try invocation.input.value(argument, key.spelling)
      return try RecordJSON.record(json, key.spelling, zoneID: invocation.defaultZoneID)
    }
    var request = TidingsV1.ExplainSubscriptionsRequest(
      databaseID: invocation.settings.databaseID,
      subscriptionIDs: arguments.operands
    )
    if let name = arguments[delete] {
      if let other = [Option](of: recordOption, before, save).first(where: arguments.has) {
        throw UsageError("--delete and \(other.spelling) cannot be combined")
      }
      request.recordID = .init(name, in: try invocation.zoneID)
      request.isSave = true
      return request
    }
    guard arguments[recordOption] != nil || arguments[before] != nil else {
      throw UsageError("no change: use --record JSON or --delete NAME")
    }
    if arguments[save] {
      guard arguments[recordOption] != nil, arguments[before] == nil else {
        throw UsageError(
          "--save requires --record, and cannot be combined with --before"
        )
      }
    }
    request.recordAfter = try record(recordOption)
    request.recordBefore = try record(before)
    request.isSave = arguments[save]
    return request
  }

  private static func reason(_ explanation: TidingsV1.SubscriptionExplanation) -> String? {
    explanation.reason == .unspecified
      ? nil : Contract.shortName(explanation.reason, "QUERY_NOTIFICATION_REASON_")
  }

  private static func json(_ explanation: TidingsV1.SubscriptionExplanation) -> JSONValue {
    func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }
    return .omittingNil([
      "subscriptionId": .string(explanation.subscriptionID), "fires": .bool(explanation.fires),
      "reason": reason(explanation).map { .string($0) },
      "failedTerm": text(explanation.failedTerm),
      "expectedValue": text(explanation.expectedValue),
      "actualValue": text(explanation.actualValue),
      "message": .string(explanation.message),
    ])
  }
}

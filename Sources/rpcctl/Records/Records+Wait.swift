internal import CommandLineTools
internal import TidingsClient
internal import TidingsProto

extension Verb {
  fileprivate static let condition = OptionKey<String>(
    "for",
    value: "exists|gone|PREDICATE",
    default: "exists",
    "The condition to wait for."
  )
  fileprivate static let typeOption = OptionKey<String?>(
    "type",
    value: "TYPE",
    "Any record of this type, instead of NAME."
  )

  static let waitForRecord = Verb(
    command: Command(
      "records wait",
      "Wait until a record meets a condition, and print it.",
      operands: "[NAME]",
      completion: .live("records"),
      options: [Option](of: condition, typeOption, .zone),
      discussion: """
        Waits for change notifications instead of polling, and returns at once if the condition is already
        met. An explicit `--timeout TIME` ends it with 3 after that time; without one, it waits until it
        is interrupted (130).

        Examples:
          rpcctl records wait h1 --for 'price < 400000' --timeout 10m
          rpcctl records wait --type Jobs --for 'state == "done"' --timeout 1h -o json
          rpcctl records wait h1 --for gone
        """
    ),
    run: { invocation in
      let awaited = try Awaited(invocation)
      let arguments = invocation.arguments
      let limit = arguments.given(.timeout)
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      let found = try await withTimeLimit(limit) { progress in
        if try await awaited.isThere(session, invocation) { return progress.advance() }
        // The database's feed reports changed zones in a few bytes, whatever their size.
        let changes = DatabaseChanges(
          session.transport,
          database: invocation.settings.databaseID,
          follow: true,
          timeout: limit == nil ? invocation.settings.timeout : .seconds(10),
          onConnection: { log($0, invocation.output) }
        )
        for try await page in changes where page.concerns(try invocation.zoneID) {
          if try await awaited.isThere(session, invocation) { return progress.advance() }
        }
      }
      if found.count > 0 { return .success }
      if Task.isCancelled { throw Interrupted() }
      throw ConditionNotMet("timed out: '\(awaited.text)' is not met")
    }
  )
}

/// The condition.
private struct Awaited: Sendable {
  private enum Goal: Sendable {
    case exists, gone
    case holds(Condition)
  }

  private let name: String?
  private let goal: Goal
  /// The condition as text, for messages.
  let text: String

  init(_ invocation: Invocation) throws(UsageError) {
    let arguments = invocation.arguments
    guard arguments.operands.count <= 1 else {
      throw UsageError("expected one NAME: unexpected operand '\(arguments.operands[1])'")
    }
    name = arguments.operands.first
    guard (name == nil) == (arguments[Verb.typeOption] != nil) else {
      throw UsageError("no record: use NAME, or --type TYPE for any record of a type")
    }
    text = arguments[Verb.condition]
    switch text {
    case "exists": goal = .exists
    case "gone": goal = .gone
    default: goal = .holds(try Condition(text, "--for"))
    }
  }

  /// Returns whether the condition is met; prints the record then.
  func isThere(_ session: Session, _ invocation: Invocation) async throws -> Bool {
    let record = try await untilAnswered { try await find(session, invocation) }
    switch (goal, record) {
    case (.gone, nil): return true
    case (.gone, _?), (_, nil): return false
    case (.holds(let condition), let record?) where name != nil && !condition.holds(for: record):
      return false
    case (_, let record?):
      invocation.output.write([RecordJSON.json(record)]) {
        var table = Table(RecordResults.columns.dropLast() + ["FIELDS"])
        table.append([
          RecordResults.name(record.recordID ?? .init()), record.recordType, record.changeTag,
          FieldValueJSON().text(record),
        ])
        return table
      }
      return true
    }
  }

  /// Returns the record of the name, or the first of the type that satisfies the predicate.
  private func find(_ session: Session, _ invocation: Invocation) async throws -> TidingsV1.Record?
  {
    let zone = try invocation.zoneID
    if let name {
      return try await invocation.fetch([.init(name, in: zone)], over: session)
        .first?.storedRecord
    }
    var request = TidingsV1.QueryRecordsRequest(
      databaseID: invocation.settings.databaseID,
      recordType: invocation.arguments[Verb.typeOption] ?? "",
      zoneID: .init(zoneName: zone.name, ownerName: zone.ownerName),
      limit: 1
    )
    if case .holds = goal { request.predicate = .init(text: text) }
    let records = TidingsV1.RecordService.Client(session.transport)
    while true {
      let page = try await records.queryRecords(request, options: invocation.callOptions)
      if let record = page.records.first { return record }
      guard !page.cursor.isEmpty else { return nil }
      request.cursor = page.cursor
    }
  }
}

extension TidingsV1.FetchDatabaseChangesResponse {
  /// Something in the zone changed.
  fileprivate func concerns(_ zone: TidingsV1.ZoneID) -> Bool {
    (changedZoneIDs + deletedZones.compactMap(\.zoneID)).contains {
      $0.name == zone.name && $0.ownerName == zone.ownerName
    }
  }
}

internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let typeOption = OptionKey<[String]>(
    list: "type",
    value: "TYPE…",
    takesMany: true,
    completion: .live("types"),
    "Only records of these types."
  )

  static let purgeZone = Verb(
    command: Command(
      "zones purge",
      "Delete all records of a zone, and keep the zone.",
      operands: "ZONE",
      completion: .live("zones"),
      options: [Option](of: typeOption),
      discussion: """
        Subscriptions and the change feed are kept: other clients see each deletion. The default zone is
        named _defaultZone. On a terminal it asks for confirmation; otherwise --yes is required.

        Examples:
          rpcctl zones purge drafts
          rpcctl zones purge _defaultZone --type Jobs --yes
        """
    ),
    run: { invocation in
      guard !invocation.arguments.operands.isEmpty else { throw UsageError("expected one ZONE") }
      let zone = try invocation.oneZone()
      let types = Set(invocation.arguments[typeOption])
      let what = types.isEmpty ? "records" : "records of \(types.sorted().joined(separator: ", "))"
      try invocation.confirm("delete all \(what) of zone '\(zone.shownName)'", unasked: .refuses)
      var purge = ZonePurge(invocation, try await invocation.connect())
      for try await page in invocation.pages(of: zone, over: purge.session, desiredKeys: []) {
        let records = page.changedRecords.filter {
          types.isEmpty || types.contains($0.recordType)
        }
        try await purge.delete(records.compactMap(\.recordID))
      }
      try await purge.deleteWaiting()
      return purge.finish()
    }
  )
}

/// Deletes records in batches; a referenced record waits until the referencing ones are deleted.
private struct ZonePurge {
  let session: Session
  private let invocation: Invocation
  private var waiting: [TidingsV1.RecordID] = []
  private var count = 0
  private var failures = Results(columns: RecordResults.columns)

  /// Most records that wait for others.
  private static let waitingMax = 1_000_000

  init(_ invocation: Invocation, _ session: Session) {
    self.invocation = invocation
    self.session = session
  }

  /// Deletes any number of records.
  mutating func delete(_ ids: [TidingsV1.RecordID]) async throws {
    let records = TidingsV1.RecordService.Client(session.transport)
    var rest = ids[...]
    while !rest.isEmpty {
      let response = try await records.modifyRecords(
        .init(
          databaseID: invocation.settings.databaseID,
          recordIDsToDelete: Array(rest.prefix(Verb.itemsPerCall)),
          atomic: false
        ),
        options: invocation.callOptions
      )
      rest = rest.dropFirst(Verb.itemsPerCall)
      for result in response.results { take(result) }
      if invocation.output.showsProgress {
        invocation.output.show(progress: "\(counted(count, "record")) deleted")
      }
    }
  }

  /// Retries waiting records, as long as some succeed.
  mutating func deleteWaiting() async throws {
    var before = Int.max
    while !waiting.isEmpty, waiting.count < before {
      before = waiting.count
      let ids = waiting
      waiting = []
      try await delete(ids)
    }
  }

  private mutating func take(_ result: TidingsV1.RecordResult) {
    guard let id = result.recordID else { return }
    switch result.outcome {
    case .error(let error)
    where error.code == .referenceViolation && waiting.count < Self.waitingMax:
      waiting.append(id)
    case .error: RecordResults.add([result], to: &failures, hasFields: false)
    default: count += 1
    }
  }

  /// Prints the number of deleted records, and those that remain.
  mutating func finish() -> ExitCode {
    let output = invocation.output
    output.endProgress()
    let left = waiting.map { id in
      TidingsV1.RecordResult(
        recordID: id,
        outcome: .error(.init(code: .referenceViolation, message: "another record references it"))
      )
    }
    RecordResults.add(left, to: &failures, hasFields: false)
    if output.format == .table {
      output.log("\(counted(count, "record")) deleted")
    } else {
      output.write(.object(["deleted": .integer(count)]))
    }
    return failures.finish(output)
  }
}

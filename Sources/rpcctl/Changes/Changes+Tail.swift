internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let since = OptionKey<String>(
    "since",
    value: "now|beginning",
    default: "now",
    choices: ["now", "beginning"],
    "Start with changes from now on, or with all existing records."
  )
  fileprivate static let typesOption = OptionKey<String?>(
    "types",
    value: "T,U",
    "Only records of these types (default: all)."
  )
  fileprivate static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B",
    mayBeEmpty: true,
    "The fields to return; empty: none (default: all)."
  )
  private static let count = OptionKey<Int?>(
    "count",
    value: "N",
    in: 1...Int(Int32.max),
    "Exit with 0 after N changes."
  )
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "The command to run for each change, with its JSON on standard input."
  )

  static let tailChanges = Verb(
    command: Command(
      "changes tail",
      "Print changes of zones as they happen, until interrupted.",
      operands: "[ZONE…]",
      completion: .live("zones"),
      options: [Option](of: since, typesOption, desiredKeys, count, exec),
      discussion: """
        Without ZONE, follows all zones of the database, including new ones. Reconnects when the
        connection is lost. An explicit `--timeout TIME` ends it with 0 after that time. To resume after
        a restart, use `fetch-zone-changes --save-token`.

        Examples:
          rpcctl changes tail
          rpcctl changes tail notes drafts --types Note --timeout 10s -o json
          rpcctl changes tail --exec ./mirror
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      let limit = arguments.given(.timeout)
      let zones = try arguments.operands.map { try invocation.zoneID($0) }
      let countMax = arguments[count]
      let command = arguments[exec].map { ShellCommand($0) }
      invocation.output.beginStream()
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      if command != nil { Interruption.enableCancellation() }
      if invocation.output.format == .table, command == nil {
        invocation.output.log("following; press Ctrl-C to stop")
      }
      let tail = ChangeTail(invocation, session, zones: zones, limited: limit != nil)
      _ = try await withTimeLimit(limit) { progress in
        let printer = ChangePrinter(invocation.output, command)
        try await tail.run(fromNow: arguments[since] == "now") { page in
          try await printer.print(page, progress, countMax)
        }
      }
      if Task.isCancelled { throw Interrupted() }
      return .success
    }
  )
}

/// Follows zones: the database's feed lists changed zones, and their feeds the changes.
private struct ChangeTail: Sendable {
  /// A change in a zone.
  struct Page: Sendable {
    let zone: TidingsV1.ZoneID
    var changes = TidingsV1.ZoneChanges()
    /// The zone was deleted.
    var isDeleted = false
  }

  private let invocation: Invocation
  private let session: Session
  private let zones: Set<TidingsV1.ZoneID>
  private let options: TidingsV1.ZoneChangesOptions
  private let timeout: Duration?

  init(_ invocation: Invocation, _ session: Session, zones: [TidingsV1.ZoneID], limited: Bool) {
    self.invocation = invocation
    self.session = session
    self.zones = Set(zones.map(Self.named))
    options = .init(
      desiredKeys: invocation.arguments[Verb.desiredKeys].map {
        .init(keys: Verb.commaSeparated($0))
      },
      recordTypes: invocation.arguments[Verb.typesOption].map(Verb.commaSeparated) ?? []
    )
    timeout = limited ? .seconds(10) : invocation.settings.timeout
  }

  /// Passes changes to the body, until it returns `false`.
  func run(fromNow: Bool, _ body: (Page) async throws -> Bool) async throws {
    // First the database's token: what changes during this setup is reported again, and filtered here.
    var (databaseToken, tokens) = ([UInt8](), [TidingsV1.ZoneID: [UInt8]]())
    if fromNow {
      var changed: Set<TidingsV1.ZoneID> = []
      for try await page in database(after: [], follows: false) {
        databaseToken = page.changeToken
        changed.formUnion(page.changedZoneIDs.map(Self.named))
      }
      for zone in changed where isWanted(zone) {
        try await drain(zone, &tokens, isQuiet: true) { _ in true }
      }
    }
    for try await page in database(after: databaseToken, follows: true) {
      for zone in page.changedZoneIDs.map(Self.named) where isWanted(zone) {
        guard try await drain(zone, &tokens, body) else { return }
      }
      for zone in page.deletedZones.compactMap(\.zoneID).map(Self.named) where isWanted(zone) {
        tokens[zone] = nil
        guard try await body(Page(zone: zone, isDeleted: true)) else { return }
      }
    }
  }

  /// Passes a zone's remaining changes on; for an unchanged zone only reads the token.
  @discardableResult
  private func drain(
    _ zone: TidingsV1.ZoneID,
    _ tokens: inout [TidingsV1.ZoneID: [UInt8]],
    isQuiet: Bool = false,
    _ body: (Page) async throws -> Bool
  ) async throws -> Bool {
    let records = TidingsV1.RecordService.Client(session.transport)
    var options = options
    options.zoneID = zone
    if isQuiet { options.desiredKeys = .init() }
    while true {
      options.changeToken = tokens[zone] ?? []
      let response = try await untilAnswered { [options] in
        try await records.fetchRecordZoneChanges(
          .init(databaseID: invocation.settings.databaseID, zones: [options]),
          options: .init(timeout: timeout)
        )
      }
      guard let page = response.zones.first else { return true }
      switch page.error?.code {
      case nil: break
      // The zone is deleted already, which the database's feed reports.
      case .zoneNotFound?, .userDeletedZone?: return true
      default: throw LocalFailure("the zone '\(zone.shownName)': \(page.error?.text ?? "")")
      }
      tokens[zone] = page.changeToken
      let isEmpty = page.changedRecords.isEmpty && page.deletedRecords.isEmpty
      if !isEmpty, try await !body(Page(zone: zone, changes: page)) { return false }
      if !page.moreComing { return true }
    }
  }

  private func database(after token: [UInt8], follows: Bool) -> DatabaseChanges {
    DatabaseChanges(
      session.transport,
      database: invocation.settings.databaseID,
      after: token,
      follow: follows,
      timeout: timeout,
      onConnection: { Verb.log($0, invocation.output) }
    )
  }

  private func isWanted(_ zone: TidingsV1.ZoneID) -> Bool { zones.isEmpty || zones.contains(zone) }

  /// The zone, the default one by its name.
  private static func named(_ zone: TidingsV1.ZoneID) -> TidingsV1.ZoneID {
    .init(zoneName: zone.name, ownerName: zone.ownerName)
  }
}

/// Prints changes one by one, or runs a command for each.
private actor ChangePrinter {
  private let output: Output
  private let command: ShellCommand?
  private var table = GrowingTable(["ZONE"] + TidingsV1.ZoneChanges.columns)

  init(_ output: Output, _ command: ShellCommand?) {
    self.output = output
    self.command = command
  }

  /// Returns whether to continue.
  func print(
    _ page: ChangeTail.Page,
    _ progress: WatchProgress,
    _ countMax: Int?
  ) async throws -> Bool {
    let (lines, rows) = Self.changes(page)
    for (line, row) in zip(lines, rows) {
      if let command {
        try await command.run(line.text() + [UInt8(ascii: "\n")])
      } else if output.format == .table {
        table.print([row], output)
      } else {
        output.write(line)
      }
      progress.advance()
      if progress.count == countMax { return false }
    }
    return true
  }

  private static func changes(_ page: ChangeTail.Page) -> ([JSONValue], [[String]]) {
    guard page.isDeleted else {
      return (page.changes.lines, page.changes.rows.map { [page.zone.shownName] + $0 })
    }
    var object = page.zone.json
    object.append("deleted", .bool(true))
    return ([.object(object)], [[page.zone.shownName, "", "", "", "zone deleted"]])
  }
}

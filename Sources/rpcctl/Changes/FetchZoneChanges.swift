internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

extension Verb {
  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B",
    mayBeEmpty: true,
    "The fields to return; empty: none (default: all)."
  )
  private static let typesOption = OptionKey<String?>(
    "types",
    value: "T,U",
    "Only records of these types (default: all)."
  )

  static let fetchZoneChanges = Verb(
    command: Command(
      "changes list",
      aliases: ["fetch-zone-changes"],
      "List the changes of a zone: saved and deleted records, oldest change first.",
      operands: "[ZONE]",
      completion: .live("zones"),
      options: feedOptions("records") + [Option](of: desiredKeys, typesOption),
      discussion: """
        Without ZONE, lists the changes of the default zone; without --since, all its records. Each record
        appears once, in its latest state. \(feedOutput("changedRecords", "deletedRecords"))

        `clientTokenData` is printed with the token if this device (--device) sent a mark with a save
        that the pages include (modify-records --client-token-data).

        Examples:
          rpcctl changes list notes --all
          rpcctl changes list notes --since AQIDBAUG --follow --types Note
          rpcctl changes list notes --since @notes.token --save-token notes.token --all
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      guard arguments.operands.count <= 1 else {
        throw UsageError("expected one ZONE: unexpected operand '\(arguments.operands[1])'")
      }
      let feed = try FeedArguments(invocation)
      let options = TidingsV1.ZoneChangesOptions(
        zoneID: try invocation.zoneID(arguments.operands.first ?? ""),
        changeToken: feed.token,
        desiredKeys: arguments[desiredKeys].map { .init(keys: commaSeparated($0)) },
        recordTypes: arguments[typesOption].map(commaSeparated) ?? [],
        limit: feed.limit
      )
      let changes = RecordZoneChanges(
        try await connect(invocation, feed).transport,
        database: invocation.settings.databaseID,
        options,
        follow: feed.follows,
        timeout: feed.timeout(invocation.settings),
        onConnection: { log($0, invocation.output) }
      )
      return try await print(changes, feed, invocation)
    }
  )

  static let fetchDatabaseChanges = Verb(
    command: Command(
      "changes zones",
      aliases: ["fetch-database-changes"],
      "List the changed zones of the database, oldest change first.",
      options: feedOptions("zones"),
      discussion: """
        A zone changes when it is created, and when a record in it is saved or deleted. Without --since,
        lists all zones. \(feedOutput("changedZones", "deletedZones"))

        Examples:
          rpcctl changes zones
          rpcctl changes zones --since AQIDBAUG --follow
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let feed = try FeedArguments(invocation)
      let changes = DatabaseChanges(
        try await connect(invocation, feed).transport,
        database: invocation.settings.databaseID,
        after: feed.token,
        pageLimit: feed.limit,
        follow: feed.follows,
        timeout: feed.timeout(invocation.settings),
        onConnection: { log($0, invocation.output) }
      )
      return try await print(changes, feed, invocation)
    }
  )

  fileprivate static let pageLimit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most items per page."
  )
  fileprivate static let allPages = OptionKey<Bool>(
    flag: "all",
    "Fetch all pages, not only the next."
  )
  fileprivate static let followOption = OptionKey<Bool>(
    flag: "follow",
    "Fetch all pages, then follow new changes until interrupted."
  )

  private static func feedOptions(_ items: String) -> [Option] {
    TokenText.options
      + [Option](of: pageLimit.described("Most \(items) per page."), allPages, followOption)
  }

  private static func feedOutput(_ changed: String, _ deleted: String) -> String {
    """
    With `--output json` it prints one object, with --follow one per page, with `\(changed)`, `\(deleted)`,
    `changeToken` and `moreComing`; with jsonl one line per change, and after each page a line with
    the other two; as a table the rows, and the token on standard error. `--since` takes the printed
    token, or @FILE.

    With --follow, an explicit `--timeout TIME` ends it with 0 after that time; otherwise Ctrl-C
    does (130). A lost connection is reported on standard error and restored. A page is printed with
    its token, so resuming from the last token neither loses nor repeats changes.
    """
  }

  /// Logs connection events of a followed feed.
  static func log(_ connection: NotificationStream.Connection, _ output: Output) {
    switch connection {
    case .lost(let error):
      output.log("rpcctl: connection lost, reconnecting: \(error)")
    case .slow(let error):
      output.log("rpcctl: answers do not arrive in time, requesting smaller ones: \(error)")
    case .restored: output.log("rpcctl: connection restored; no changes were missed")
    }
  }

  private static func connect(
    _ invocation: Invocation,
    _ feed: FeedArguments
  ) async throws -> Session {
    let session = try await invocation.connect()
    if feed.follows { try await requireServer(session, invocation) }
    return session
  }

  /// Prints pages: the next one, all, or without end.
  private static func print<Pages: AsyncSequence & Sendable>(
    _ pages: Pages,
    _ feed: FeedArguments,
    _ invocation: Invocation
  ) async throws -> ExitCode where Pages.Element: PrintablePage {
    let output = invocation.output
    if feed.follows { output.beginStream() }
    if feed.follows, output.format == .table { output.log("following; press Ctrl-C to stop") }
    if output.format == .json, !feed.follows {
      return try await printTogether(pages, feed, invocation)
    }
    _ = try await withTimeLimit(feed.timeLimit) { _ in
      var widths: [Int] = []
      for try await page in pages {
        try print(page, &widths, output)
        try invocation.keep(token: page.changeToken)
        if !feed.isComplete { return }
      }
    }
    return .success
  }

  /// Prints pages as one document, with the token of the last one.
  private static func printTogether<Pages: AsyncSequence & Sendable>(
    _ pages: Pages,
    _ feed: FeedArguments,
    _ invocation: Invocation
  ) async throws -> ExitCode where Pages.Element: PrintablePage {
    var lists: [(name: String, values: [JSONValue])] = []
    var last: Pages.Element?
    for try await page in pages {
      for (index, member) in page.lists.members.enumerated() {
        if index == lists.count { lists.append((member.name, [])) }
        lists[index].values += member.value.array ?? []
      }
      last = page
      if !feed.isComplete { break }
    }
    guard let last else { return .success }
    var object = JSONObject()
    for list in lists { object.append(list.name, .array(list.values)) }
    for member in end(of: last).members { object.append(member.name, member.value) }
    invocation.output.write(.object(object))
    try invocation.keep(token: last.changeToken)
    return .success
  }

  /// The token at the end of a page.
  private static func end(of page: some PrintablePage) -> JSONObject {
    var end: JSONObject = [
      "changeToken": .string(Base64.encode(page.changeToken)),
      "moreComing": .bool(page.moreComing),
    ]
    if !page.clientTokenData.isEmpty {
      end.append("clientTokenData", markJSON(page.clientTokenData))
    }
    return end
  }

  /// Prints a page; the widths are those of the columns so far, empty before the first row.
  private static func print(
    _ page: some PrintablePage,
    _ widths: inout [Int],
    _ output: Output
  ) throws {
    let end = end(of: page)
    let mark = page.clientTokenData
    switch output.format {
    case .json:
      var object = page.lists
      for member in end.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl:
      for line in page.lines { output.write(line: line) }
      output.write(end: .object(end))
    case .table:
      // The header is printed once; later pages keep its columns, or widen them.
      var table = Table(type(of: page).columns, widthsMin: widths)
      for row in page.rows { table.append(row) }
      let text = table.description
      output.write(text: widths.isEmpty ? text : String(text.drop { $0 != "\n" }.dropFirst()))
      if !page.rows.isEmpty { widths = table.widths }
      output.log(
        "changeToken \(Base64.encode(page.changeToken))\(page.moreComing ? ", more coming" : "")"
      )
      if !mark.isEmpty { output.log("clientTokenData \(printable(markJSON(mark).description))") }
    }
  }

  /// Returns a mark as `--client-token-data` takes it; as bytes, if it is not text.
  private static func markJSON(_ mark: [UInt8]) -> JSONValue {
    if let text = String(validating: mark, as: UTF8.self) { return .string(text) }
    return .object(["bytes": .string(Base64.encode(mark))])
  }
}

/// The range of a feed that the command line asks for.
private struct FeedArguments {
  let token: [UInt8]
  let limit: UInt32
  let follows: Bool
  /// All pages, not only the next.
  let isComplete: Bool
  /// The time limit of following.
  let timeLimit: Duration?

  init(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    token = try invocation.sinceToken()
    limit = UInt32(arguments[Verb.pageLimit] ?? 0)
    follows = arguments[Verb.followOption]
    isComplete = follows || arguments[Verb.allPages]
    timeLimit =
      follows ? arguments.given(.timeout) : nil
  }

  /// The time limit of a call; a limit of following does not apply to calls.
  func timeout(_ settings: Settings) -> Duration? {
    timeLimit == nil ? settings.timeout : .seconds(10)
  }
}

/// A page of a feed for printing.
protocol PrintablePage: Sendable {
  static var columns: [String] { get }
  var changeToken: [UInt8] { get }
  var moreComing: Bool { get }
  /// This device's latest mark that the pages include; empty: none.
  var clientTokenData: [UInt8] { get }
  /// The changes, by kind.
  var lists: JSONObject { get }
  /// The changes, one by one.
  var lines: [JSONValue] { get }
  /// The changes as rows.
  var rows: [[String]] { get }
}

extension TidingsV1.ZoneChanges: PrintablePage {
  static let columns = ["RECORD", "TYPE", "CHANGE TAG", "FIELDS"]

  var clientTokenData: [UInt8] { clientChangeTokenData }

  private var deletions: [JSONValue] {
    deletedRecords.map { record in
      let id = record.recordID ?? .init()
      return .omittingNil([
        "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON,
        "ownerName": id.ownerNameJSON, "recordType": .string(record.recordType),
        "deleted": .bool(true),
      ])
    }
  }

  var lists: JSONObject {
    [
      "changedRecords": .array(changedRecords.map { RecordJSON.json($0) }),
      "deletedRecords": .array(deletions),
    ]
  }

  var lines: [JSONValue] { changedRecords.map { RecordJSON.json($0) } + deletions }

  var rows: [[String]] {
    changedRecords.map { record in
      [
        record.recordID?.recordName ?? "", record.recordType, record.changeTag,
        FieldValueJSON().text(record),
      ]
    }
      + deletedRecords.map { record in
        [record.recordID?.recordName ?? "", record.recordType, "", "deleted"]
      }
  }
}

extension TidingsV1.FetchDatabaseChangesResponse: PrintablePage {
  static let columns = ["ZONE", "CHANGE"]
  /// Marks belong to zones.
  // Marks belong to zones.
  var clientTokenData: [UInt8] { [] }

  private var deletions: [(id: TidingsV1.ZoneID, reason: String)] {
    deletedZones.map { zone in
      (zone.zoneID ?? .init(), Contract.shortName(zone.reason, "ZONE_DELETION_REASON_"))
    }
  }

  /// A zone of the shared database is an object with its owner; other zones are names.
  private static func value(_ id: TidingsV1.ZoneID) -> JSONValue {
    id.ownerName.isEmpty ? .string(id.name) : .object(id.json)
  }

  private static func line(_ zone: (id: TidingsV1.ZoneID, reason: String)) -> JSONValue {
    var object = zone.id.json
    object.append("deleted", .bool(true))
    object.append("reason", .string(zone.reason))
    return .object(object)
  }

  var lists: JSONObject {
    let deleted = deletions.map { zone in
      var object = zone.id.json
      object.append("reason", .string(zone.reason))
      return JSONValue.object(object)
    }
    return [
      "changedZones": .array(changedZoneIDs.map(Self.value)), "deletedZones": .array(deleted),
    ]
  }

  var lines: [JSONValue] { changedZoneIDs.map { .object($0.json) } + deletions.map(Self.line) }

  var rows: [[String]] {
    changedZoneIDs.map { [$0.shownName, "changed"] }
      + deletions.map { [$0.id.shownName, "deleted (\($0.reason))"] }
  }
}

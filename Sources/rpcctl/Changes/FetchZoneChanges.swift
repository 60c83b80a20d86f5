internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

extension Verb {
  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B",
    "Which fields; empty: none. Without it all."
  )
  private static let typesOption = OptionKey<String?>(
    "types",
    value: "T,U",
    "Only records of these types. Without it all."
  )

  static let fetchZoneChanges = Verb(
    command: Command(
      "changes list",
      aliases: ["fetch-zone-changes"],
      "Fetches what changed in a zone: records saved and deleted, oldest change first.",
      operands: "[ZONE]",
      completion: .live("zones"),
      options: feedOptions("records") + [Option](of: desiredKeys, typesOption),
      discussion: """
        Without ZONE the default zone; without --since all its records. Each record comes once, at its
        latest state. \(feedOutput("changedRecords", "deletedRecords"))

        `clientTokenData` stands beside the token when this device (--device) sent a mark with a save
        that the pages cover (modify-records --client-token-data).

        Examples:
          rpcctl changes list notes --all
          rpcctl changes list notes --since AQIDBAUG --follow --types Note
          rpcctl changes list notes --since @notes.token --save-token notes.token --all
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      guard arguments.operands.count <= 1 else {
        throw UsageError("one ZONE at most: '\(arguments.operands[1])' is one too many")
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
        onConnection: { tell($0, invocation.output) }
      )
      return try await print(changes, feed, invocation)
    }
  )

  static let fetchDatabaseChanges = Verb(
    command: Command(
      "changes zones",
      aliases: ["fetch-database-changes"],
      "Fetches which zones of the database changed, oldest change first.",
      options: feedOptions("zones"),
      discussion: """
        A zone changed when it was created, or a record in it was saved or deleted. Without --since all
        zones. \(feedOutput("changedZones", "deletedZones"))

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
        onConnection: { tell($0, invocation.output) }
      )
      return try await print(changes, feed, invocation)
    }
  )

  fileprivate static let pageLimit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most items in a page."
  )
  fileprivate static let allPages = OptionKey<Bool>(flag: "all", "All pages, not only the next.")
  fileprivate static let followOption = OptionKey<Bool>(
    flag: "follow",
    "All pages, and then what changes, as it does, until interrupted."
  )

  private static func feedOptions(_ items: String) -> [Option] {
    TokenText.options
      + [Option](of: pageLimit.described("Most \(items) in a page."), allPages, followOption)
  }

  private static func feedOutput(_ changed: String, _ deleted: String) -> String {
    """
    With `--output json` it prints one object, with --follow one for each page, with `\(changed)`, `\(deleted)`, `changeToken` and `moreComing`; with jsonl a
    line for each change, and one with the other two at the end of each page; as a table the rows,
    and the token on standard error. `--since` takes the token as it is printed, or @FILE with one.

    With --follow, `--timeout TIME` on the command line ends it, with 0, after that time; without it
    Ctrl-C does (130). When the server goes away it is waited for, which is told on standard error. A page and its token are printed together: nothing is lost or told twice by
    going on with the last token.
    """
  }

  /// Tells of the connection of a feed that is followed.
  static func tell(_ connection: NotificationStream.Connection, _ output: Output) {
    switch connection {
    case .lost(let error):
      output.tell("rpcctl: the connection is lost, trying again: \(error)")
    case .restored: output.tell("rpcctl: the connection is there again; nothing is missed")
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

  /// Prints pages: the next one, all, or for ever.
  private static func print<Pages: AsyncSequence & Sendable>(
    _ pages: Pages,
    _ feed: FeedArguments,
    _ invocation: Invocation
  ) async throws -> ExitCode where Pages.Element: PrintablePage {
    let output = invocation.output
    if feed.follows { output.beginStream() }
    if feed.follows, output.format == .table { output.tell("following; Ctrl-C ends") }
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

  /// What is told at the end of a page.
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

  /// Prints a page; the widths are those of the columns so far, none before there was a row.
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
      // The header is printed once; what follows keeps to its columns, or widens them.
      var table = Table(type(of: page).columns, widthsMin: widths)
      for row in page.rows { table.append(row) }
      let text = table.description
      output.write(text: widths.isEmpty ? text : String(text.drop { $0 != "\n" }.dropFirst()))
      if !page.rows.isEmpty { widths = table.widths }
      output.tell(
        "changeToken \(Base64.encode(page.changeToken))\(page.moreComing ? ", more coming" : "")"
      )
      if !mark.isEmpty { output.tell("clientTokenData \(printable(markJSON(mark).description))") }
    }
  }

  /// A mark as `--client-token-data` takes it; one that is no text, as bytes.
  private static func markJSON(_ mark: [UInt8]) -> JSONValue {
    if let text = String(validating: mark, as: UTF8.self) { return .string(text) }
    return .object(["bytes": .string(Base64.encode(mark))])
  }
}

/// What the command line says about where a feed begins and ends.
private struct FeedArguments {
  let token: [UInt8]
  let limit: UInt32
  let follows: Bool
  /// All pages, not only the next.
  let isComplete: Bool
  /// How long to follow.
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

  /// How long a call may take; a limit on the following is none.
  func timeout(_ settings: Settings) -> Duration? {
    timeLimit == nil ? settings.timeout : .seconds(10)
  }
}

/// A page of a feed as it is printed.
protocol PrintablePage: Sendable {
  static var columns: [String] { get }
  var changeToken: [UInt8] { get }
  var moreComing: Bool { get }
  /// This device's newest mark that the pages cover; empty: none.
  var clientTokenData: [UInt8] { get }
  /// The changes, by kind.
  var lists: JSONObject { get }
  /// The changes, one by one.
  var lines: [JSONValue] { get }
  /// The same as cells.
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
  var clientTokenData: [UInt8] { [] }

  private var deletions: [(id: TidingsV1.ZoneID, reason: String)] {
    deletedZones.map { zone in
      (zone.zoneID ?? .init(), Contract.shortName(zone.reason, "ZONE_DELETION_REASON_"))
    }
  }

  /// A zone of the shared database is an object with its owner; any other is its name.
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

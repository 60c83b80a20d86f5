internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let recordsDefault = 100

  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B",
    mayBeEmpty: true,
    "The fields to return; empty: none (default: all)."
  )
  private static let limit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(Int32.max),
    "Most records, over any number of pages (default: \(recordsDefault))."
  )
  private static let allOption = OptionKey<Bool>(flag: "all", "Fetch all records, page by page.")
  private static let cursor = OptionKey<String?>(
    "cursor",
    value: "CURSOR",
    "Continue an earlier query, without TYPE."
  )

  static let query = Verb(
    command: Command(
      "query",
      aliases: ["records list"],
      "Find records by predicate, optionally sorted.",
      operands: "TYPE",
      completion: .live("types"),
      options: queryOptions + [Option](of: desiredKeys, limit, allOption, cursor),
      discussion: """
        Examples:
          rpcctl query Houses --where 'price < 500000 AND city = "Berlin"' --sort=-price
          rpcctl query Houses --where 'city = %@' --arg Berlin --limit 20 -o json
          rpcctl query Houses --sort 'distance(location,52.5,13.4)' --desired-keys location
          rpcctl query Houses --all -o jsonl | jq .recordName

        Without --zone the default zone is searched. Keys of --sort are fields and the system fields
        recordName, creationDate, modificationDate, creatorUserRecordID and
        lastModifiedUserRecordID; distance(FIELD,LATITUDE,LONGITUDE) sorts by distance, nearest first.

        If there are more records, the cursor for --cursor is printed on standard error; with --output
        json it is part of the printed object. Tables and JSON lines are printed page by page.
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      let limit = arguments[limit]
      if limit != nil, arguments[allOption] {
        throw UsageError("--limit and --all cannot be combined")
      }
      var request = try firstRequest(invocation)
      if let keys = arguments[desiredKeys] {
        request.desiredKeys = .init(keys: commaSeparated(keys))
      }
      var left = arguments[allOption] ? Int.max : limit ?? recordsDefault
      let records = TidingsV1.RecordService.Client(try await invocation.connect().transport)
      var printer = QueryPrinter(
        output: invocation.output,
        keys: arguments[desiredKeys].map(commaSeparated),
        showsZones: arguments[allZones] || arguments[cursor] != nil
      )
      repeat {
        request.limit = left > Int(UInt32.max) ? 0 : UInt32(left)
        let page = try await records.queryRecords(request, options: invocation.callOptions)
        left -= min(left, page.records.count)
        request.cursor = page.cursor
        for warning in page.warnings {
          invocation.output.log("rpcctl: warning: " + printable(warning))
        }
        printer.print(page.records)
      } while left > 0 && !request.cursor.isEmpty
      printer.finish(cursor: request.cursor)
      return .success
    }
  )

  private static func firstRequest(
    _ invocation: Invocation
  ) throws -> TidingsV1.QueryRecordsRequest {
    let arguments = invocation.arguments
    guard let text = arguments[cursor] else { return try queryRequest(invocation) }
    let needless = [Option](of: whereText, argument, sort, .zone, allZones).first(
      where: arguments.has
    )
    if let needless {
      throw UsageError("--cursor continues its query: omit \(needless.spelling)")
    }
    if let type = arguments.operands.first {
      throw UsageError("--cursor continues its query: omit '\(type)'")
    }
    guard let cursor = Base64.decode(text), !cursor.isEmpty else {
      throw UsageError("invalid --cursor '\(text)': use a cursor as printed")
    }
    return .init(databaseID: invocation.settings.databaseID, cursor: cursor)
  }
}

internal import CommandLineTools
internal import TidingsProto

extension Verb {
  private static let desiredKeys = OptionKey<String?>(
    "desired-keys",
    value: "A,B",
    mayBeEmpty: true,
    "The fields to return; empty: none (default: all)."
  )

  static let fetchRecords = Verb(
    command: Command(
      "records get",
      aliases: ["fetch-records"],
      "Fetch records by name.",
      operands: "NAME…",
      completion: .live("records"),
      options: [Option](of: .zone, desiredKeys),
      discussion: """
        Examples:
          rpcctl records get h1 h2 --desired-keys price
          rpcctl records get h1 | rpcctl records put -

        A record that cannot be fetched is printed with its error, and the exit code is then 4.
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      var request = TidingsV1.FetchRecordsRequest(databaseID: invocation.settings.databaseID)
      request.recordIDs = try names.map { TidingsV1.RecordID($0, in: try invocation.zoneID) }
      if let keys = invocation.arguments[desiredKeys] {
        request.desiredKeys = .init(keys: commaSeparated(keys))
      }
      let records = TidingsV1.RecordService.Client(try await invocation.connect().transport)
      let response = try await records.fetchRecords(request, options: invocation.callOptions)
      return RecordResults.print(response.results, invocation.output)
    }
  )

  /// Returns the words of `a,b`.
  static func commaSeparated(_ text: String) -> [String] {
    text.split(separator: ",").map { word in
      String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}

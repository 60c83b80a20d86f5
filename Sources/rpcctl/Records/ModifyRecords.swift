internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let save = OptionKey<[String]>(
    list: "save",
    value: "JSON|@FILE|-",
    takesMany: true,
    "Records to save: an object, a list, or JSON lines."
  )
  private static let delete = OptionKey<[String]>(
    list: "delete",
    value: "NAME…",
    takesMany: true,
    completion: .live("records"),
    "Names of records to delete."
  )

  static let modifyRecords = Verb(
    command: Command(
      "modify-records",
      "Save and delete records.",
      options: [Option](of: save, RecordFiles.option, delete, .zone)
        + SaveOptions.options(),
      discussion: """
        Examples:
          rpcctl modify-records --save '{"recordType":"Houses","recordName":"h1",
            "fields":{"address":"1 Main St","price":300000}}'
          rpcctl modify-records --save-policy changed-keys -f houses.json --delete h7 h8
          rpcctl modify-records --dry-run --delete h1
          rpcctl modify-records --save '{"recordType":"Rooms","recordName":"r1","parent":"h1",
            "fields":{"house":{"reference":{"recordName":"h1","action":"deleteSelf"}}}}'

        Plain values become typed fields: a string, an integer (64 bits), a number with a fraction or an
        exponent (double), true and false (1 and 0), a list of one type, null (removes the field, or the
        parent). Other types, and explicit types, are objects with one member:
          {"timestamp":"2026-01-02T03:04:05.678Z"}   or a number of milliseconds
          {"bytes":"base64"}
          {"reference":"name"}   or {"reference":{"recordName":…,"zoneName":…,"action":"validate"}}
          {"location":{"latitude":52.5,"longitude":13.4}}
          {"asset":{"checksum":"base64","size":123}}
          {"int64":"5"}  {"double":5}  {"string":"x"}
          {"encrypted":"secret"}   encrypted with the key ring: the server cannot read it (--key-ring)

        `zoneName` in a record overrides --zone. The output of fetch-records can be used with --save,
        including the change tag. jq writes 5.0 as 5, which turns a double into an integer: write
        {"double":5} if that matters.

        The result of a deletion lists the records that it cascades to (references with deleteSelf);
        --dry-run lists them in advance. If a record was changed since it was fetched, the save fails
        with SERVER_RECORD_CHANGED; tables then show its fields as sent, as stored and as originally
        fetched, and JSON has the members serverRecord and ancestorRecord.
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var request = TidingsV1.ModifyRecordsRequest()
      for argument in invocation.arguments[save] {
        for json in try invocation.input.values(argument, "--save") {
          let path = "records[\(request.recordsToSave.count)]"
          request.recordsToSave.append(
            try RecordJSON.record(json, path, zoneID: invocation.defaultZoneID)
          )
        }
      }
      let files = invocation.arguments[RecordFiles.option]
      request.recordsToSave += try invocation.records(of: files)
      request.recordIDsToDelete = try invocation.arguments[delete].map {
        TidingsV1.RecordID($0, in: try invocation.zoneID)
      }
      guard !request.recordsToSave.isEmpty || !request.recordIDsToDelete.isEmpty else {
        throw UsageError(
          files.isEmpty
            ? "nothing to do: use --save, --file or --delete"
            : "the files contain no records"
        )
      }
      try SaveOptions(invocation.arguments).apply(to: &request)
      return try await invocation.modify(request)
    }
  )
}

extension Invocation {
  /// Returns the records of files, for one call.
  func records(of paths: [String]) throws -> [TidingsV1.Record] {
    var files = try RecordFiles(paths, input, zoneID: defaultZoneID)
    return try files.next(.max)
  }

  /// Saves and deletes records, and prints the results.
  func modify(
    _ request: TidingsV1.ModifyRecordsRequest,
    over session: Session? = nil
  ) async throws -> ExitCode {
    var request = request
    request.databaseID = settings.databaseID
    request.dryRun = isDryRun
    var open = session
    if open == nil { open = try await connect() }
    guard let transport = open?.transport else { return .localFailure }
    let records = TidingsV1.RecordService.Client(transport)
    let response = try await records.modifyRecords(request, options: callOptions)
    return ModifyRecordsResults.print(response, of: request, output)
  }
}

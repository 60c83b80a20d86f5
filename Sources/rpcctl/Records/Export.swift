internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "Only this zone; without it all zones of the database."
  )
  private static let typeOption = OptionKey<[String]>(
    list: "type",
    value: "TYPE…",
    takesMany: true,
    "Only records of these types."
  )
  private static let out = OptionKey<String?>(
    "out",
    letter: "O",
    value: "FILE|-",
    "Where to; - is standard output."
  )
  private static let resume = OptionKey<Bool>(
    flag: "resume",
    "Go on where the export in FILE broke off."
  )

  static let export = Verb(
    command: Command(
      "export",
      "Writes the records of zones to a file of JSON lines.",
      options: [Option](of: zone, typeOption, out, resume),
      discussion: """
        Examples:
          rpcctl export -O all.jsonl
          rpcctl export --zone notes --type Notes -O notes.jsonl --resume
          rpcctl export -O - | jq -c 'select(.recordType == "Houses") | .fields'

        Each record is a line as `fetch-records` prints it and `import` takes it. Lines with a member
        `tidings` are not records: the first tells what was exported, each page of a zone ends with
        one that tells where the zone goes on, the last has the number of records; without it the
        export broke off. --resume cuts FILE behind its last whole page and goes on there.

        The records of a zone are as they are when their page is read. One that is changed meanwhile
        comes again in a later line, one that is deleted has a line that says so; import heeds both.
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      guard let out = arguments[out] else {
        throw UsageError("-O FILE says where to; - is standard output")
      }
      let path = out == "-" ? nil : out
      if path == nil, arguments[resume] {
        throw UsageError("--resume needs a FILE: standard output cannot be taken up again")
      }
      try invocation.refuseSharedDatabase()
      Interruption.heed()
      let header = exportHeader(invocation)
      let state = try exportState(invocation, path, header)
      if state.isComplete {
        invocation.output.tell("\(out) is complete: \(counted(state.recordCount, "record"))")
        return .success
      }
      let session = try await invocation.connect()
      let zones = try await zoneNames(invocation, session)
      if invocation.isDryRun {
        let text = zones.map { "'\(printable($0))'" }.joined(separator: ", ")
        _ = invocation.wouldOnly("export \(counted(zones.count, "zone")) to '\(out)': \(text)")
        return .success
      }
      // Only now, so that a server that is not there leaves the file alone.
      let file = try path.map {
        try OutputFile($0, mode: state.header == nil ? .replacing : .appending)
      }
      try file?.cut(to: state.bytesCount)
      var exporter = Exporter(
        transport: session.transport,
        options: invocation.callOptions,
        databaseID: invocation.settings.databaseID,
        recordTypes: arguments[typeOption],
        sink: ExportSink(file, invocation.output),
        state: state,
        output: invocation.output
      )
      return try await exporter.run(zones: zones, header: header) ? .success : .itemsFailed
    }
  )

  /// The first line of the file, which tells what is exported.
  ///
  /// All but the time is the same when it is resumed.
  private static func exportHeader(_ invocation: Invocation) -> JSONObject {
    let settings = invocation.settings
    let types = invocation.arguments[typeOption]
    let members: JSONValue = .omittingNil([
      "tidings": .string("export"), "version": .integer(TransferMarker.version),
      "container": .string(settings.container),
      "environment": .string(Contract.shortName(settings.environment, "ENVIRONMENT_")),
      "scope": .string(Contract.shortName(settings.scope, "DATABASE_SCOPE_")),
      "user": settings.client.user.isEmpty ? nil : .string(settings.client.user),
      "zoneName": invocation.arguments[zone].map { .string(ZoneName.canonical($0)) },
      "recordTypes": types.isEmpty ? nil : .array(types.map { .string($0) }),
    ])
    var header = members.object ?? [:]
    header.append("exported", .timestamp(wallClock()))
    return header
  }

  /// How far the export came; from the beginning without `--resume`.
  private static func exportState(
    _ invocation: Invocation,
    _ path: String?,
    _ header: JSONObject
  ) throws -> ExportState {
    guard let path, invocation.arguments[resume], AtomicFile.exists(path) else {
      return ExportState()
    }
    let state = try ExportState(reading: try invocation.input.open(path, 0))
    guard var found = state.header else {
      // An export may break off within its first line; anything else is not overwritten.
      var start = [UInt8](repeating: 0, count: TransferMarker.start.count)
      let count = try invocation.input.open(path, 0).read(into: &start, from: 0)
      guard TransferMarker.start.starts(with: start[..<count]) else {
        throw UsageError("\(path) is not an export, and is left as it is")
      }
      return ExportState()
    }
    var wanted = header
    found["exported"] = nil
    wanted["exported"] = nil
    guard found == wanted else {
      throw UsageError(
        "\(path) is an export of \(JSONValue.object(found)); what is asked for is "
          + "\(JSONValue.object(wanted))"
      )
    }
    return state
  }

  private static func zoneNames(
    _ invocation: Invocation,
    _ session: Session
  ) async throws -> [String] {
    let wanted = invocation.arguments[zone].map(ZoneName.canonical)
    let results = try await invocation.zoneResults(
      wanted.map { [.init(zoneName: $0)] } ?? [],
      over: session
    )
    if let wanted {
      if case .error(let error)? = results.first?.outcome {
        throw LocalFailure("the zone '\(wanted)' cannot be exported: \(error.text)")
      }
      return [wanted]
    }
    return Set(results.map { $0.zoneID?.name ?? "" } + [ZoneName.defaultZone]).sorted()
  }
}

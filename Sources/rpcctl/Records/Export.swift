internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "Only this zone (default: all zones of the database)."
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
    "The file to write; - is standard output."
  )
  private static let resume = OptionKey<Bool>(
    flag: "resume",
    "Resume the interrupted export in FILE."
  )

  static let export = Verb(
    command: Command(
      "export",
      "Write the records of zones to a file of JSON lines.",
      options: [Option](of: zone, typeOption, out, resume),
      discussion: """
        Examples:
          rpcctl export -O all.jsonl
          rpcctl export --zone notes --type Notes -O notes.jsonl --resume
          rpcctl export -O - | jq -c 'select(.recordType == "Houses") | .fields'

        Each record is a line as printed by `fetch-records` and read by `import`. Lines with a member
        `tidings` are not records: the first describes the export, each page of a zone ends with one that
        has the zone's change token, and the last has the number of records; if it is missing, the export
        was interrupted. --resume truncates FILE after its last complete page and continues.

        Each page shows the zone at the time it is read. A record that changes meanwhile is repeated in a
        later line, and one that is deleted gets a deletion line; import applies both.
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      guard let out = arguments[out] else {
        throw UsageError("no file: set the file to write with -O FILE; - is standard output")
      }
      let path = out == "-" ? nil : out
      if path == nil, arguments[resume] {
        throw UsageError("--resume requires a FILE: standard output cannot be resumed")
      }
      try invocation.refuseSharedDatabase()
      Interruption.enableCancellation()
      let header = exportHeader(invocation)
      let state = try exportState(invocation, path, header)
      if state.isComplete {
        invocation.output.log("\(out) is complete: \(counted(state.recordCount, "record"))")
        return .success
      }
      let session = try await invocation.connect()
      let zones = try await zoneNames(invocation, session)
      if invocation.isDryRun {
        let text = zones.map { "'\(printable($0))'" }.joined(separator: ", ")
        _ = invocation.previews("export \(counted(zones.count, "zone")) to '\(out)': \(text)")
        return .success
      }
      // Connected first, so that the file is left unchanged if the server is unreachable.
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

  /// The first line of the file, which describes the export.
  ///
  /// When the export is resumed, all but the time must be the same.
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

  /// Returns the state of the export in the file; without `--resume` an empty one.
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
      // An export may have been interrupted within its first line; other files are not overwritten.
      var start = [UInt8](repeating: 0, count: TransferMarker.start.count)
      let count = try invocation.input.open(path, 0).read(into: &start, from: 0)
      guard TransferMarker.start.starts(with: start[..<count]) else {
        throw UsageError("'\(path)' is not an export: name another file")
      }
      return ExportState()
    }
    var wanted = header
    found["exported"] = nil
    wanted["exported"] = nil
    guard found == wanted else {
      throw UsageError(
        "'\(path)' is an export of \(JSONValue.object(found)), but this export is of "
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
        throw LocalFailure("cannot export zone '\(wanted)': \(error.text)")
      }
      return [wanted]
    }
    return Set(results.map { $0.zoneID?.name ?? "" } + [ZoneName.defaultZone]).sorted()
  }
}

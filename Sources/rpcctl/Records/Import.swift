internal import CommandLineTools
internal import TidingsClient
internal import TidingsProto

extension Verb {
  private static let batchesUnderWay = 4

  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "The zone of records that name none; without it the default."
  )
  private static let batch = OptionKey<Int>(
    "batch",
    value: "N",
    default: 400,
    in: 1...10_000,
    "Most records in a call."
  )
  private static let inFlight = OptionKey<Int>(
    "in-flight",
    value: "N",
    default: batchesUnderWay,
    in: 1...64,
    "Calls that are under way at a time."
  )
  private static let resume = OptionKey<Bool>(
    flag: "resume",
    "Go on where an import of the file broke off."
  )
  private static let errors = OptionKey<String?>(
    "errors",
    value: "FILE",
    "Where errors go, as JSON lines; else to standard error."
  )

  static let importRecords = Verb(
    command: Command(
      "import",
      "Saves the records of a file of JSON lines, in batches.",
      operands: "FILE|-",
      completion: .files,
      options: [Option](of: zone, batch, inFlight, resume, errors)
        + SavePolicyOption.options(
          default: "changed-keys",
          "changed-keys and all-keys write the fields sent; if-unchanged only creates records"
        ),
      discussion: """
        Examples:
          rpcctl import houses.jsonl
          rpcctl --database public import houses.jsonl --resume --errors houses.errors
          rpcctl export --zone notes -O - | rpcctl --as ada import -

        Each line is a record as `modify-records --save` takes it and `export` writes it. Zones are
        created as they are needed; change tags are left out, because those of a file belong to the
        database it came from. A record that fails is told with its line, and the import goes on; the
        exit code is then 4. A record whose reference has no target yet is sent again after what
        follows it. Where a record has several lines, the last one counts.

        While it runs, FILE.progress tells how far it came; it is removed at the end. When an import
        broke off, --resume goes on there, and nothing is applied twice: the calls have idempotency
        keys, which the server keeps for 24 hours. Errors of the last seconds may be told again.
        Control-C breaks it off in order; a second one, or two seconds, at once.
        """
    ),
    dryRun: .refused("modify-records --dry-run tells what would become of records"),
    run: { invocation in
      let arguments = invocation.arguments
      guard arguments.operands.count == 1, let operand = arguments.operands.first else {
        throw UsageError("import takes one FILE, or - for standard input")
      }
      try invocation.refuseSharedDatabase()
      let path = operand == "-" ? nil : operand
      Interruption.heed()
      let countMax = arguments[batch]
      let batchesMax = arguments[inFlight]
      let size = try invocation.input.open(path, 0).size
      let progressPath = size == nil || path == nil ? nil : operand + ".progress"
      let progress = try progress(
        invocation,
        .init(
          fileBytes: size ?? 0,
          database: databaseText(invocation),
          zoneName: invocation.zoneName,
          policy: try SavePolicyOption.word(arguments, default: "changed-keys"),
          batchCountMax: countMax
        ),
        path: progressPath
      )
      let transport = try await invocation.connect().transport
      let zones = ZoneCreation(
        transport: transport,
        options: invocation.callOptions,
        databaseID: invocation.settings.databaseID
      )
      try await zones.check()
      let errors = try arguments[errors].map {
        try OutputFile($0, mode: progress.offset > 0 ? .appending : .replacing)
      }
      let report = ImportReport(
        invocation.output,
        source: path ?? "standard input",
        errors: errors
      )
      var importer = Importer(
        sender: BatchSender(
          transport: transport,
          options: invocation.callOptions,
          databaseID: invocation.settings.databaseID,
          savePolicy: try SavePolicyOption.policy(arguments, default: "changed-keys")
        ),
        zones: zones,
        report: report,
        batchesMax: batchesMax,
        size: size,
        progressPath: progressPath,
        batches: BatchReader(
          LineReader(
            try invocation.input.open(path, progress.offset),
            offset: progress.offset,
            number: progress.lineCount
          ),
          zoneName: invocation.zoneName,
          countMax: countMax,
          firstNumber: progress.batchNumber,
          report: report
        ),
        progress: progress
      )
      return try await importer.run() ? .success : .itemsFailed
    }
  )

  /// Where to begin.
  private static func progress(
    _ invocation: Invocation,
    _ settings: ImportProgress.Settings,
    path: String?
  ) throws -> ImportProgress {
    let resumes = invocation.arguments[resume]
    guard let path else {
      if resumes { throw UsageError("--resume needs a FILE: a pipe cannot be taken up again") }
      return ImportProgress(settings: settings)
    }
    guard AtomicFile.exists(path) else { return ImportProgress(settings: settings) }
    guard resumes else {
      throw UsageError(
        "\(path) is there: an import of this file broke off, or is running; --resume goes on where "
          + "it was, and without the file an import begins anew"
      )
    }
    return try ImportProgress(try invocation.input.read(path), path: path, settings: settings)
  }

  /// The database, for messages and to tell one from another.
  static func databaseText(_ invocation: Invocation) -> String {
    let settings = invocation.settings
    return [
      settings.container, Contract.shortName(settings.environment, "ENVIRONMENT_").lowercased(),
      Contract.shortName(settings.scope, "DATABASE_SCOPE_").lowercased(), settings.client.user,
    ].joined(separator: "/")
  }
}

internal import CommandLineTools
internal import TidingsClient
internal import TidingsProto

extension Verb {
  private static let concurrentBatches = 4

  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "The zone of records without one (default: the default zone)."
  )
  private static let batch = OptionKey<Int>(
    "batch",
    value: "N",
    default: 400,
    in: 1...10_000,
    "Most records per call."
  )
  private static let inFlight = OptionKey<Int>(
    "in-flight",
    value: "N",
    default: concurrentBatches,
    in: 1...64,
    "Most concurrent calls."
  )
  private static let resume = OptionKey<Bool>(
    flag: "resume",
    "Resume an interrupted import of the file."
  )
  private static let errors = OptionKey<String?>(
    "errors",
    value: "FILE",
    "The file for errors, as JSON lines (default: standard error)."
  )

  static let importRecords = Verb(
    command: Command(
      "import",
      "Save the records of a file of JSON lines, in batches.",
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

        Each line is a record as read by `modify-records --save` and written by `export`. Missing zones
        are created; change tags are ignored, because they belong to the database of origin. A record
        that fails is reported with its line, and the import continues; the exit code is then 4. A record
        whose reference has no target yet is retried after the lines that follow. If a record has several
        lines, the last one counts.

        The state is saved in FILE.progress, which is removed at the end. --resume continues an
        interrupted import, and nothing is applied twice: the calls have idempotency keys, which the
        server keeps for 24 hours. Errors of the last seconds may be reported again. Ctrl-C waits up to
        two seconds for running calls; a second Ctrl-C stops at once.
        """
    ),
    dryRun: .refused("use modify-records --dry-run to preview saves"),
    run: { invocation in
      let arguments = invocation.arguments
      guard arguments.operands.count == 1, let operand = arguments.operands.first else {
        throw UsageError("expected one FILE, or - for standard input")
      }
      try invocation.refuseSharedDatabase()
      let path = operand == "-" ? nil : operand
      Interruption.enableCancellation()
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

  /// Returns the position to start at.
  private static func progress(
    _ invocation: Invocation,
    _ settings: ImportProgress.Settings,
    path: String?
  ) throws -> ImportProgress {
    let resumes = invocation.arguments[resume]
    guard let path else {
      if resumes { throw UsageError("--resume requires a FILE: a pipe cannot be resumed") }
      return ImportProgress(settings: settings)
    }
    guard AtomicFile.exists(path) else { return ImportProgress(settings: settings) }
    guard resumes else {
      throw UsageError(
        "'\(path)' exists: an import of this file was interrupted, or is running; continue with "
          + "--resume, or remove the file to start again"
      )
    }
    return try ImportProgress(try invocation.input.read(path), path: path, settings: settings)
  }

  /// Identifies the database, also in messages.
  static func databaseText(_ invocation: Invocation) -> String {
    let settings = invocation.settings
    return [
      settings.container, Contract.shortName(settings.environment, "ENVIRONMENT_").lowercased(),
      Contract.shortName(settings.scope, "DATABASE_SCOPE_").lowercased(), settings.client.user,
    ].joined(separator: "/")
  }
}

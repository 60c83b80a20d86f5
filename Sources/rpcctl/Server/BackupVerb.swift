internal import CommandLineTools
internal import TidingsBackup
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let force = OptionKey<Bool>(
    flag: "force",
    letter: "f",
    "Replace FILE if it exists."
  )
  private static let skipDamagedAssets = OptionKey<Bool>(
    flag: "skip-damaged-assets",
    "Skip assets whose files are missing or damaged, and list them."
  )

  static let backup = Verb(
    command: Command(
      "backup",
      aliases: ["server backup"],
      "Write a backup of the running server to a file.",
      operands: "FILE",
      completion: .files,
      options: [Option](of: rateOption, force, skipDamagedAssets),
      discussion: """
        The backup is a consistent snapshot of everything that was acknowledged before it started, with
        all assets. Other calls continue meanwhile. The backup is verified while it is received, as
        FILE.part, and renamed to FILE when it is complete and durable; an interruption removes FILE.part.
        Only its owner may read it. It contains all records in plain text, but neither the server's keys
        nor the keys that seal pushes.

        `rpcd restore FILE --data FOLDER` restores it to a new data folder. Requires the admin role. Only
        an explicit --timeout limits the call. Exits with 3 if assets were skipped.

        Example:
          rpcctl backup tidings-2026-11-22.backup
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard let path = operands.first, operands.count == 1 else {
        throw UsageError("expected one FILE to write the backup to")
      }
      let replaces = invocation.arguments[force]
      let request = TidingsV1.CreateBackupRequest(
        bytesPerSecondMax: rate(invocation),
        skipsDamagedAssets: invocation.arguments[skipDamagedAssets]
      )
      try BackupFile.check(path, replaces: replaces)
      if invocation.previews("write a backup to '\(path)'") { return .success }
      Interruption.enableCancellation()
      let file = try await receive(request, path, invocation)
      try file.commit(replaces: replaces)
      printSummary(file, path, invocation.output)
      return file.damagedAssets.isEmpty ? .success : .conditionNotMet
    }
  )

  /// `--rate`, shared by all verbs that read the whole store.
  static let rateOption = OptionKey<Int>(
    "rate",
    value: "BYTES",
    default: Int(BackupPace.bytesPerSecondDefault),
    in: Int(BackupPace.bytesPerSecondMin)...(1 << 40),
    "Most bytes per second, at least \(BackupPace.bytesPerSecondMin)."
  )

  /// Returns the value of `--rate`.
  static func rate(_ invocation: Invocation) -> UInt64 {
    UInt64(invocation.arguments[rateOption])
  }

  /// Returns call options without the default time limit.
  static func optionsOfLongCall(_ invocation: Invocation) -> CallOptions {
    var options = invocation.callOptions
    if !invocation.arguments.isGiven(.timeout) { options.timeout = nil }
    return options
  }

  private static func receive(
    _ request: TidingsV1.CreateBackupRequest,
    _ path: String,
    _ invocation: Invocation
  ) async throws -> BackupFile {
    let line = TransferLine(
      path.split(separator: "/").last.map(String.init) ?? path,
      invocation.output
    )
    defer { line.end() }
    var file: BackupFile?
    let administration = try await invocation.administration()
    // The connection closes with its last reference.
    defer { withExtendedLifetime(administration) {} }
    let responses = administration.createBackup(request, options: optionsOfLongCall(invocation))
    for try await response in responses {
      // Created only now, so that no file is left if the server refuses the call.
      let begun = try file ?? BackupFile(path)
      file = begun
      try begun.append(response.chunk)
      line.update(
        AssetProgress(
          step: .transferring,
          bytesDone: begun.bytes,
          bytesTotal: begun.manifest.map { max($0.contentBytes, begun.bytes) }
        )
      )
    }
    guard let file else { throw LocalFailure("the server sent no backup: try again") }
    return file
  }

  private static func printSummary(_ file: BackupFile, _ path: String, _ output: Output) {
    for checksum in file.damagedAssets {
      output.warn(
        "the asset \(checksum.hexadecimal) is damaged and was skipped: upload it again"
      )
    }
    var object: JSONObject = ["path": .string(path), "bytes": .integer(file.bytes)]
    if let manifest = file.manifest {
      object.append("created", .string(manifest.created))
      object.append("incarnation", .string(manifest.incarnation))
      object.append("records", .integer(manifest.recordCount))
    }
    object.append("pages", .integer(file.totals.pages))
    object.append("assets", .integer(file.totals.assets))
    object.append("assetBytes", .integer(file.totals.assetBytes))
    object.append("damagedAssets", .integer(file.totals.damagedAssets))
    write(object, output)
  }
}

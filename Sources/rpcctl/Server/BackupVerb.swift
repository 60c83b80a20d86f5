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
    "Leave out assets whose files are missing or damaged, and list them."
  )

  static let backup = Verb(
    command: Command(
      "backup",
      aliases: ["server backup"],
      "Writes a backup of the running server to a file.",
      operands: "FILE",
      completion: .files,
      options: [Option](of: rateOption, force, skipDamagedAssets),
      discussion: """
        The backup holds all that was acknowledged before it began, consistently, with all assets.
        Callers go on meanwhile. It is verified as it comes and appears as FILE when it is whole and on
        disk; until then it is FILE.part, which an interruption removes. Only its owner may read it. It
        holds all records in the clear, but neither the server's keys nor what seals pushes.

        `rpcd restore FILE --data FOLDER` makes a data folder of it. The caller needs the role admin.
        Only a --timeout given on the command line ends it. Ends with 3 when assets were left out.

        Example:
          rpcctl backup tidings-2026-11-22.backup
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard let path = operands.first, operands.count == 1 else {
        throw UsageError("one FILE is needed, to write the backup to")
      }
      let replaces = invocation.arguments[force]
      let request = TidingsV1.CreateBackupRequest(
        bytesPerSecondMax: rate(invocation),
        skipsDamagedAssets: invocation.arguments[skipDamagedAssets]
      )
      try BackupFile.check(path, replaces: replaces)
      if invocation.wouldOnly("write a backup to '\(path)'") { return .success }
      Interruption.heed()
      let file = try await receive(request, path, invocation)
      try file.place(replaces: replaces)
      tell(file, path, invocation.output)
      return file.damagedAssets.isEmpty ? .success : .conditionNotMet
    }
  )

  /// `--rate`, the same for all verbs that read the whole store.
  static let rateOption = OptionKey<Int>(
    "rate",
    value: "BYTES",
    default: Int(BackupPace.bytesPerSecondDefault),
    in: Int(BackupPace.bytesPerSecondMin)...(1 << 40),
    "Most bytes in a second, at least \(BackupPace.bytesPerSecondMin)."
  )

  /// What `--rate` says.
  static func rate(_ invocation: Invocation) -> UInt64 {
    UInt64(invocation.arguments[rateOption])
  }

  /// For a call that takes as long as it takes.
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
      // Only now, so that a server that refuses leaves no file.
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

  private static func tell(_ file: BackupFile, _ path: String, _ output: Output) {
    for checksum in file.damagedAssets {
      output.tellAlways(
        "the asset \(checksum.hexadecimal) is damaged and left out: upload it again"
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

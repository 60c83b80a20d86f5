internal import CommandLineTools
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension Verb {
  static let uploadAsset = Verb(
    command: Command(
      "assets put",
      aliases: ["upload-asset"],
      "Upload files as assets for records.",
      operands: "FILE…",
      completion: .files,
      discussion: """
        Prints each asset as the value of a field. Files that the server already has are not sent again;
        to continue an interrupted upload, run the same command again.

        Example:
          rpcctl modify-records --save '{"recordType":"Houses","recordName":"h1",
            "fields":{"photo":'"$(rpcctl assets put house.jpg -o jsonl)"'}}'

        Assets that no record references are removed after a day (rpcd --limit).
        """
    ),
    run: { invocation in
      let paths = try invocation.requireOperands("FILE")
      let transfer = try await assetTransfer(invocation)
      var table = Table(["FILE", "SIZE", "CHECKSUM"])
      var values: [JSONValue] = []
      // If a later file fails, print those that were uploaded.
      defer { invocation.output.write(values) { table } }
      for path in paths {
        let line = TransferLine(name(ofFile: path), invocation.output)
        defer { line.end() }
        let asset = try await transfer.upload(fileAt: path) { line.update($0) }
        values.append(FieldValueJSON().json(asset))
        table.append([path, "\(asset.size)", asset.checksum.hexadecimal])
      }
      return .success
    }
  )

  private static let file = OptionKey<String?>(
    "file",
    letter: "O",
    value: "FILE",
    "The file to write; an existing file is replaced."
  )
  fileprivate static let recordOption = OptionKey<String?>(
    "record",
    value: "NAME",
    "The record that references the asset."
  )
  fileprivate static let field = OptionKey<String?>(
    "field",
    value: "FIELD",
    "The field of the record."
  )
  fileprivate static let index = OptionKey<Int?>(
    "index",
    value: "N",
    in: 0...Int(Int32.max),
    "The index of the asset in a list field, from 0 (default: the first)."
  )

  static let downloadAsset = Verb(
    command: Command(
      "assets get",
      aliases: ["download-asset"],
      "Download an asset to a file.",
      operands: "[CHECKSUM]",
      options: [Option](of: file, recordOption, field, index, .zone),
      discussion: """
        Examples:
          rpcctl assets get --record h1 --field photo --file house.jpg
          rpcctl assets get -O house.jpg \\
            9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08

        A checksum is 64 hexadecimal digits, or base64 as in records. The file is downloaded as
        FILE.….part, and renamed when it is complete and its checksum is correct; to continue an
        interrupted download, run the same command again. With --output json, prints path and size.
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let arguments = invocation.arguments
      guard let path = arguments[file] else {
        throw UsageError("no file: set the file to write with --file FILE (or -O FILE)")
      }
      guard !Folder.isThere(path) else {
        throw UsageError("'\(path)' is a folder: set --file to the file to write")
      }
      let source = try AssetSource(invocation)
      let session = try await invocation.connect()
      let asset = try await source.asset(invocation, session)
      if invocation.previews("write \(counted(Int(asset.size), "byte")) to '\(path)'") {
        return .success
      }
      let transfer = AssetTransfer(
        session.transport,
        in: invocation.settings.databaseID,
        options: invocation.callOptions
      )
      let line = TransferLine(name(ofFile: path), invocation.output)
      defer { line.end() }
      try await transfer.download(asset, to: path) { line.update($0) }
      guard invocation.output.format != .table else { return .success }
      let bytes = try FileSource(path, offset: 0).size ?? 0
      invocation.output.write(.object(["path": .string(path), "bytes": .integer(bytes)]))
      return .success
    }
  )

  private static func assetTransfer(_ invocation: Invocation) async throws -> AssetTransfer {
    assetTransfer(try await invocation.connect(), invocation)
  }

  /// Uploads and downloads assets over a connection.
  static func assetTransfer(_ session: Session, _ invocation: Invocation) -> AssetTransfer {
    AssetTransfer(
      session.transport,
      in: invocation.settings.databaseID,
      options: invocation.callOptions
    )
  }

  private static func name(ofFile path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

/// Returns the asset that the command line names.
enum AssetSource {
  case checksum([UInt8])
  case field(String, record: String, index: Int)

  init(_ invocation: Invocation) throws(UsageError) {
    let arguments = invocation.arguments
    switch (arguments.operands.first, arguments[Verb.recordOption], arguments[Verb.field]) {
    case (let text?, nil, nil) where arguments.operands.count == 1:
      let checksum = [UInt8](hexadecimal: text) ?? Base64.decode(text)
      guard let checksum, checksum.count == SHA256.checksumBytes else {
        throw UsageError(
          "invalid checksum '\(text)': use 64 hexadecimal digits, or base64 of 32 bytes"
        )
      }
      self = .checksum(checksum)
    case (nil, let record?, let field?):
      let index = arguments[Verb.index] ?? 0
      self = .field(field, record: record, index: index)
    default:
      throw UsageError("no asset: use a CHECKSUM, or --record NAME and --field FIELD")
    }
  }

  func asset(_ invocation: Invocation, _ session: Session) async throws -> TidingsV1.Asset {
    switch self {
    case .checksum(let checksum): return .init(checksum: checksum)
    case .field(let field, let name, let index):
      let response = try await TidingsV1.RecordService.Client(session.transport).fetchRecords(
        .init(
          databaseID: invocation.settings.databaseID,
          recordIDs: [.init(name, in: try invocation.zoneID)],
          desiredKeys: .init(keys: [field])
        ),
        options: invocation.callOptions
      )
      let location = "field '\(field)' of record '\(name)'"
      switch response.results.first?.outcome {
      case .record(let record)?:
        let assets = record.fields[field]?.assets ?? []
        guard index < assets.count else {
          throw LocalFailure(
            assets.isEmpty
              ? "\(location) has no asset"
              : "\(location) has \(assets.count) assets: use --index 0 to \(assets.count - 1)"
          )
        }
        return assets[index]
      case .error(let error)?: throw LocalFailure(error.message)
      default: throw LocalFailure("the server returned no result for record '\(name)'")
      }
    }
  }
}

extension TidingsV1.FieldValue {
  /// The assets in a field.
  var assets: [TidingsV1.Asset] {
    switch value {
    case .assetValue(let asset)?: [asset]
    case .assetListValue(let list)?: list.values
    default: []
    }
  }
}

internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let recordOption = OptionKey<String?>(
    "record",
    value: "NAME",
    "The record that references the asset."
  )
  private static let field = OptionKey<String?>("field", value: "FIELD", "The field of the record.")
  private static let index = OptionKey<String?>(
    "index",
    value: "N",
    "The index of the asset in a list field, from 0 (default: the first)."
  )

  static let assetStat = Verb(
    command: Command(
      "assets stat",
      "Check whether an asset can be downloaded.",
      operands: "[CHECKSUM]",
      options: [Option](of: recordOption, field, index, .zone),
      discussion: """
        Downloads the last byte, to detect truncated files; with a checksum alone, the size is unknown
        and only the asset's existence is checked. Exits with 3 if the asset cannot be downloaded.

        Examples:
          rpcctl assets stat --record h1 --field photo
          rpcctl assets stat 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
        """
    ),
    run: { invocation in
      let source = try AssetSource(invocation)
      let session = try await invocation.connect()
      let asset = try await source.asset(invocation, session)
      let problem = try await AssetCheck(invocation, session).problem(of: asset)
      let checksum = asset.checksum.hexadecimal
      var results = Results(columns: ["CHECKSUM", "SIZE", "STATE"])
      results.append(
        .omittingNil([
          "checksum": .string(checksum),
          "size": asset.size > 0 ? .string("\(asset.size)") : nil,
          "stored": .bool(problem == nil), "problem": problem.map { .string($0) },
        ]),
        [checksum, asset.size > 0 ? "\(asset.size)" : "", problem ?? "stored"]
      )
      _ = results.finish(invocation.output)
      return problem == nil ? .success : .conditionNotMet
    }
  )
}

/// Checks whether assets can be downloaded.
struct AssetCheck: Sendable {
  /// Downloads all bytes and compares the checksum, instead of only the last byte.
  var readsContent = false
  private let service: TidingsV1.AssetService.Client
  private let databaseID: TidingsV1.DatabaseID
  private let options: CallOptions

  init(_ invocation: Invocation, _ session: Session) {
    service = TidingsV1.AssetService.Client(session.transport)
    databaseID = invocation.settings.databaseID
    options = invocation.callOptions
  }

  /// Returns the problem with an asset; `nil`: none.
  func problem(of asset: TidingsV1.Asset) async throws(RPCError) -> String? {
    let offset = readsContent || asset.size == 0 ? 0 : asset.size - 1
    var hash = SHA256()
    do throws(RPCError) {
      let pieces = service.downloadAsset(
        .init(
          databaseID: databaseID,
          asset: asset,
          offset: offset,
          length: readsContent ? 0 : 1
        ),
        options: options
      )
      for try await piece in pieces where readsContent { hash.update(piece.chunk[...]) }
    } catch {
      // An empty asset has no last byte.
      if error.code == .outOfRange, asset.size == 0 { return nil }
      guard [.notFound, .outOfRange, .dataLoss].contains(error.code) else { throw error }
      return error.message
    }
    guard readsContent, hash.checksum() != asset.checksum else { return nil }
    return "its content has another checksum"
  }
}

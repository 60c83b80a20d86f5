internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let recordOption = OptionKey<String?>(
    "record",
    value: "NAME",
    "The record that names the asset."
  )
  private static let field = OptionKey<String?>("field", value: "FIELD", "The field of the record.")
  private static let index = OptionKey<String?>(
    "index",
    value: "N",
    "Which asset of a list, counted from 0; without it the first."
  )

  static let assetStat = Verb(
    command: Command(
      "assets stat",
      "Tells whether the server holds an asset that the caller may download.",
      operands: "[CHECKSUM]",
      options: [Option](of: recordOption, field, index, .zone),
      discussion: """
        Its last byte is asked for, so that a file that was cut short is found; a checksum alone says
        no size, and only whether something is there. Ends with 3 when it is not.

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

/// Looks whether assets are there.
struct AssetCheck: Sendable {
  /// All bytes are read and held against the checksum, instead of the last one only.
  var readsContent = false
  private let service: TidingsV1.AssetService.Client
  private let databaseID: TidingsV1.DatabaseID
  private let options: CallOptions

  init(_ invocation: Invocation, _ session: Session) {
    service = TidingsV1.AssetService.Client(session.transport)
    databaseID = invocation.settings.databaseID
    options = invocation.callOptions
  }

  /// What is wrong with an asset; `nil`: nothing.
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
      // An empty asset has no byte to begin with.
      if error.code == .outOfRange, asset.size == 0 { return nil }
      guard [.notFound, .outOfRange, .dataLoss].contains(error.code) else { throw error }
      return error.message
    }
    guard readsContent, hash.checksum() != asset.checksum else { return nil }
    return "its content has another checksum"
  }
}

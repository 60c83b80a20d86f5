internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  static let assetStat = Verb(
    command: Command(
      "assets stat",
      "Tells whether the server holds an asset that the caller may download.",
      operands: "[CHECKSUM]",
      options: [
        Option("record", value: "NAME", "The record that names the asset."),
        Option("field", value: "FIELD", "The field of the record."),
        Option("index", value: "N", "Which asset of a list, counted from 0; without it the first."),
        zoneOption,
      ],
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
      let problem = try await problem(of: asset, session, invocation)
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
      return problem == nil ? .success : .found
    }
  )

  /// What the server says against downloading an asset; `nil`: nothing.
  private static func problem(
    of asset: TidingsV1.Asset,
    _ session: Session,
    _ invocation: Invocation
  ) async throws -> String? {
    let request = TidingsV1.DownloadAssetRequest(
      databaseID: invocation.settings.databaseID,
      asset: asset,
      offset: asset.size > 0 ? asset.size - 1 : 0,
      length: 1
    )
    do {
      let stream = TidingsV1.AssetService.Client(session.transport)
        .downloadAsset(request, options: invocation.callOptions)
      for try await _ in stream {}
      return nil
    } catch {
      // An empty asset has no byte to begin with.
      if error.code == .outOfRange, asset.size == 0 { return nil }
      guard [.notFound, .outOfRange, .dataLoss].contains(error.code) else { throw error }
      return error.message
    }
  }
}

internal import TidingsClient
internal import TidingsFiles
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsLogging
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Takes and gives the contents of assets, at the URLs that endpoints answer.
struct AssetRequests: Sendable {
  let transport: any ClientTransport
  let urls: SealedURLs
  /// Logs downloads that broke off, of which the answer said already that they succeed.
  let logger: Logger

  func answer(_ request: HTTPRequest, sealed: String, uuid: String) async throws -> HTTPResponse {
    switch request.head.method {
    case "GET", "HEAD": return try await download(request, sealed, uuid)
    case "POST", "PUT":
      return WebAnswer.success(try await upload(request, sealed, uuid), uuid: uuid)
    default: throw WebFailure.badRequest("an asset takes GET, POST or PUT")
    }
  }

  /// What an upload or download URL stands for.
  func content(
    _ sealed: String,
    _ purpose: SealedURLs.Content.Purpose
  ) throws(WebFailure) -> SealedURLs.Content {
    guard let content = urls.open(sealed, for: purpose) else {
      throw WebFailure(
        .notFound,
        "this URL is not valid, or has expired: fetch the record, or ask for another upload URL"
      )
    }
    return content
  }

  private func upload(
    _ request: HTTPRequest,
    _ sealed: String,
    _ uuid: String
  ) async throws -> JSONObject {
    let content = try content(sealed, .upload)
    guard case .file(let file) = request.body else {
      throw WebFailure(.internalError, "the content was not kept")
    }
    let part = try MultipartPart.range(of: file, contentType: request.head.header("content-type"))
    let asset: TidingsV1.Asset
    do {
      asset = try await file.upload(part, to: transport, content, requestID: uuid)
    } catch {
      throw WebFailure(error, of: content.caller)
    }
    return ["singleFile": .object(WebAssets.answer(asset))]
  }

  private func download(
    _ request: HTTPRequest,
    _ sealed: String,
    _ uuid: String
  ) async throws -> HTTPResponse {
    let content = try content(sealed, .download)
    guard let asset = content.asset else { throw WebFailure(.notFound, "no asset is named") }
    let stream = TidingsV1.AssetService.Client(transport).downloadAsset(
      .init(databaseID: content.database.id, asset: asset),
      options: CallOptions(metadata: content.caller.metadata(requestID: uuid))
    )
    let chunks = AssetChunks(stream, of: asset) { [logger] error in
      logger.log(
        .warning,
        "the download of an asset broke off",
        ["requestId": uuid, "reason": "\(error)"]
      )
    }
    // An error before the first bytes can still be said.
    do {
      try await chunks.begin()
    } catch {
      if error.code == .dataLoss { chunks.report(error) }
      throw WebFailure(error, of: content.caller)
    }
    return HTTPResponse(
      200,
      headers: [
        ("Content-Type", "application/octet-stream"),
        ("Content-Disposition", "attachment"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ("Cache-Control", "private, max-age=\(WebLimits.downloadSeconds), immutable"),
      ],
      .chunks(HTTPChunks { await chunks.next() }, count: asset.size)
    )
  }
}

/// The parts of a download, of which the first was waited for; the last is given only if all of them are the asset.
private actor AssetChunks {
  private let asset: TidingsV1.Asset
  /// Says why a download broke off.
  let report: @Sendable (RPCError) -> Void
  private var iterator: MessageStream<TidingsV1.DownloadAssetResponse>.AsyncIterator
  private var first: [UInt8]?
  private var hash = SHA256()
  private var byteCount: UInt64 = 0

  init(
    _ stream: MessageStream<TidingsV1.DownloadAssetResponse>,
    of asset: TidingsV1.Asset,
    report: @escaping @Sendable (RPCError) -> Void
  ) {
    (self.asset, self.report) = (asset, report)
    iterator = stream.makeAsyncIterator()
  }

  func begin() async throws(RPCError) { first = try await read() }

  func next() async -> [UInt8] {
    if let first = first.take() { return first }
    do {
      return try await read()
    } catch {
      report(error)
      // An answer that breaks off is shorter than it said: the client notices.
      return []
    }
  }

  private func read() async throws(RPCError) -> [UInt8] {
    var iterator = iterator
    defer { self.iterator = iterator }
    let message = try await iterator.next()
    let chunk = message?.chunk ?? []
    hash.update(chunk[...])
    byteCount += UInt64(chunk.count)
    let isLast = chunk.isEmpty || byteCount >= asset.size
    guard !isLast || hash.checksum() == asset.checksum else {
      throw RPCError(
        .dataLoss,
        "what the server sent is not the asset \(asset.checksum.hexadecimal): it has another checksum"
      )
    }
    return chunk
  }
}

extension Slots {
  /// Takes a slot for the content of an asset.
  func takeForUpload(_ owner: Owner) throws(WebFailure) -> Slot {
    do {
      return try take(for: owner)
    } catch {
      switch error {
      case .all: throw WebFailure(.throttled, "too many uploads are open", retryAfter: 2)
      case .ofOne(let countMax):
        throw WebFailure(
          .throttled,
          "a user has at most \(countMax) uploads at a time: wait for one to end",
          retryAfter: 2
        )
      }
    }
  }
}

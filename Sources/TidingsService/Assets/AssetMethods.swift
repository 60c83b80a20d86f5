internal import Synchronization
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC

/// AssetService.
final class AssetMethods: TidingsV1.AssetService.Server {
  /// Most calls at once, of either kind: each holds a chunk, or the pieces that its client has
  /// credit for.
  static let callsMax = 64
  /// Most of them of one user.
  static let callsPerUserMax = 32
  /// Bytes of one message of a download.
  static let pieceBytes = 256 << 10

  private let storage: any AssetStorage
  private let store: CoreRemote
  private let limits: Limits
  private let uploads = TransferCount()
  private let downloads = TransferCount()
  private let reading = ReadingNotes()

  init(_ storage: any AssetStorage, store: CoreRemote, limits: Limits) {
    self.storage = storage
    self.store = store
    self.limits = limits
  }

  func uploadAsset(
    _ request: TidingsV1.UploadAssetRequest,
    call: ServerCall
  ) async throws -> TidingsV1.UploadAssetResponse {
    do {
      let caller = try CallerIdentity.caller(of: call)
      try uploads.enter(caller.user)
      defer { uploads.leave(caller.user) }
      return try await receive(request, caller: caller)
    } catch {
      throw RPCError(callFailure: error)
    }
  }

  func downloadAsset(
    _ request: TidingsV1.DownloadAssetRequest,
    call: ServerCall,
    responses: MessageWriter<TidingsV1.DownloadAssetResponse>
  ) async throws {
    do {
      let caller = try CallerIdentity.caller(of: call)
      try downloads.enter(caller.user)
      defer { downloads.leave(caller.user) }
      let reader = try await reader(request, caller, call)
      try await send(request, caller: reader, to: responses)
    } catch {
      throw RPCError(callFailure: error)
    }
  }

  // MARK: Upload

  private func receive(
    _ request: TidingsV1.UploadAssetRequest,
    caller: Caller
  ) async throws -> TidingsV1.UploadAssetResponse {
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    let asset = try request.asset.model
    try check(request, asset)
    let database = try request.databaseID.model(for: caller)
    let progress = try await storage.receive(
      AssetUpload(database: database, user: caller.user, asset: asset),
      offset: request.offset,
      chunk: request.chunk,
      addRow: { [store] in
        try await store.write { try $0.addAsset(asset, in: database, by: caller.user) }
      }
    )
    if case .stored(let bytes) = progress { return .init(offset: bytes) }
    return .init(offset: asset.size, complete: true)
  }

  private func check(
    _ request: TidingsV1.UploadAssetRequest,
    _ asset: Asset
  ) throws(ItemError) {
    guard asset.size <= limits.assetBytesMax else {
      throw ItemError(
        .limitExceeded,
        "the asset has \(asset.size) bytes and may have \(limits.assetBytesMax): split it into "
          + "several, or let an operator raise --limit asset-bytes-max"
      )
    }
    guard request.chunk.count <= limits.assetChunkBytesMax else {
      throw ItemError(
        .limitExceeded,
        "the chunk has \(request.chunk.count) bytes and may have \(limits.assetChunkBytesMax): send "
          + "smaller ones"
      )
    }
    let (end, overflows) = request.offset.addingReportingOverflow(UInt64(request.chunk.count))
    guard !overflows, end <= asset.size else {
      throw ItemError(
        .invalidArguments,
        "a chunk of \(request.chunk.count) bytes at \(request.offset) ends behind the asset's "
          + "\(asset.size) bytes"
      )
    }
  }

  // MARK: Download

  /// Whose rights count: the caller's, or those of the user whom an administrator names.
  private func reader(
    _ request: TidingsV1.DownloadAssetRequest,
    _ caller: Caller,
    _ call: ServerCall
  ) async throws -> Caller {
    guard !request.userName.isEmpty, request.userName != caller.user else { return caller }
    let (keyNumber, method, user) = (call.keyNumber, call.method, request.userName)
    let isNew = reading.isNew(caller.user, user)
    try await store.ask { core in
      try core.rights.requireAdministrator(caller, keyNumber: keyNumber, method)
      guard isNew else { return }
      core.audit.add(
        core.rights.entry(
          method,
          caller,
          keyNumber: keyNumber,
          isRefused: false,
          "as user \(user)"
        )
      )
    }
    return Caller(user: user, device: "")
  }

  private func send(
    _ request: TidingsV1.DownloadAssetRequest,
    caller: Caller,
    to responses: MessageWriter<TidingsV1.DownloadAssetResponse>
  ) async throws {
    let asset = try request.asset.model
    let database = try request.databaseID.model(for: caller)
    guard let content = try await storage.open(asset, in: database, for: caller.user) else {
      throw RPCError(
        .notFound,
        "the asset \(asset.checksum.hexadecimal) is not in this database, or has another size, or no "
          + "record that you may read names it"
      )
    }
    let size = content.size
    guard request.offset <= size else {
      throw RPCError(
        .outOfRange,
        "the download begins at \(request.offset), and the asset has \(size) bytes"
      )
    }
    let rest = size - request.offset
    let end = request.offset + (request.length == 0 ? rest : min(rest, request.length))
    var offset = request.offset
    // What begins later, or ends earlier, has no checksum.
    var hash = offset == 0 && end == size ? SHA256() : nil
    while offset < end {
      let count = Int(min(UInt64(Self.pieceBytes), end - offset))
      let piece = try await content.read(offset, count)
      guard piece.count == count else {
        throw RPCError(
          .dataLoss,
          "the content of the asset \(asset.checksum.hexadecimal) is too short: upload the asset again"
        )
      }
      hash?.update(piece[...])
      // Whoever gets the last piece has the asset.
      if offset + UInt64(count) == end, let hash, hash.checksum() != asset.checksum {
        throw await content.damaged()
      }
      try await responses.write(.init(offset: offset, chunk: piece))
      offset += UInt64(count)
    }
  }
}

/// Which administrators read assets of which users: noted once a minute, since one user may have thousands.
private final class ReadingNotes: Sendable {
  private static let countMax = 1_000
  private static let pause = Duration.seconds(60)
  private let noted = Mutex<[[String]: ContinuousClock.Instant]>([:])

  /// Whether it is to be noted now.
  func isNew(_ administrator: String, _ user: String) -> Bool {
    noted.withLock { noted in
      let now = ContinuousClock.now
      if let last = noted[[administrator, user]], now - last < Self.pause { return false }
      if noted.count >= Self.countMax { noted = [:] }
      noted[[administrator, user]] = now
      return true
    }
  }
}

/// Counts transfers that run, up to a maximum, and another one for each user.
private final class TransferCount: Sendable {
  private struct Running {
    var count = 0
    var byUser: [String: Int] = [:]
  }

  private let running = Mutex(Running())

  /// Counts a transfer, or refuses it.
  func enter(_ user: String) throws(RPCError) {
    let refusal: RPCError? = running.withLock { running in
      guard running.count < AssetMethods.callsMax else {
        return .tooMany("\(AssetMethods.callsMax) transfers of assets run already")
      }
      guard running.byUser[user, default: 0] < AssetMethods.callsPerUserMax else {
        return .tooMany("\(AssetMethods.callsPerUserMax) transfers of yours run already")
      }
      running.count += 1
      running.byUser[user, default: 0] += 1
      return nil
    }
    if let refusal { throw refusal }
  }

  func leave(_ user: String) {
    running.withLock { running in
      running.count -= 1
      let count = running.byUser[user, default: 1] - 1
      running.byUser[user] = count == 0 ? nil : count
    }
  }
}

extension RPCError {
  fileprivate static func tooMany(_ what: String) -> Self {
    Self(
      .resourceExhausted,
      "\(what): try again later",
      details: [.retryInfo(after: .seconds(1))]
    )
  }
}

extension TidingsV1.Asset? {
  /// The asset that is meant.
  fileprivate var model: Asset {
    get throws(ItemError) {
      guard let self, self.checksum.count == SHA256.checksumBytes else {
        throw ItemError(
          .invalidArguments,
          "asset.checksum has \(self?.checksum.count ?? 0) bytes, a SHA-256 has "
            + "\(SHA256.checksumBytes)"
        )
      }
      return Asset(checksum: self.checksum, size: self.size)
    }
  }
}

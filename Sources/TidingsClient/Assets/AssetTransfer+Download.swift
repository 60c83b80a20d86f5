internal import TidingsFiles
public import TidingsProto
public import TidingsRPC

extension AssetTransfer {
  /// Downloads an asset into a file, which appears when all of it is there and its checksum is right.
  ///
  /// What has come is kept in a file beside it until then; a download that broke off goes on from
  /// there.
  ///
  /// - Parameters:
  ///   - asset: The asset, as a record's field names it. A size of 0 stands for any.
  ///   - path: The file; one that is there is replaced.
  ///   - progress: Called with the progress of the download.
  /// - Throws: `AssetFileError`; `RPCError`, `notFound` when the database does not have the asset,
  ///   `dataLoss` when what came is not the asset.
  public func download(
    _ asset: TidingsV1.Asset,
    to path: String,
    progress: Progress? = nil
  ) async throws {
    do {
      let name = Array(asset.checksum.prefix(8)).hexadecimal
      try await download(asset, through: "\(path).\(name).part", to: path, progress)
    } catch let error as FileError {
      throw AssetFileError(error.description)
    }
  }

  /// Downloads a range of an asset into memory.
  ///
  /// A checksum is checked only if the range is the whole asset.
  ///
  /// - Parameters:
  ///   - asset: The asset, as a record's field names it. A size of 0 stands for any.
  ///   - range: Which bytes; `nil`: all.
  /// - Returns: The bytes, fewer if the asset ends before the range does.
  /// - Throws: `RPCError`.
  public func download(
    _ asset: TidingsV1.Asset,
    range: Range<UInt64>? = nil
  ) async throws(RPCError) -> [UInt8] {
    if let range, range.isEmpty { return [] }
    let stream = client.downloadAsset(
      .init(
        databaseID: databaseID,
        asset: asset,
        offset: range?.lowerBound ?? 0,
        length: range.map { UInt64($0.count) } ?? 0,
        userName: userName
      )
    )
    var bytes: [UInt8] = []
    for try await part in stream { bytes += part.chunk }
    guard range != nil || SHA256.checksum(of: bytes) == asset.checksum else {
      throw Self.wrongChecksum
    }
    return bytes
  }

  private func download(
    _ asset: TidingsV1.Asset,
    through partPath: String,
    to path: String,
    _ progress: Progress?
  ) async throws {
    let file = try File(path: partPath, .create, mode: 0o666)
    guard file.lock() else {
      throw AssetFileError("another download is writing '\(partPath)': wait for it")
    }
    var part = Part(file: file, asset: asset)
    do {
      try await part.resume(progress)
      try await receiveAll(asset, into: &part, progress)
    } catch {
      // What came of a content that the server found damaged is not worth continuing.
      let isDamaged = (error as? RPCError)?.code == .dataLoss
      if part.bytes == 0 || isDamaged { try? Folder.remove(partPath) }
      throw error
    }
    guard part.hash.checksum() == asset.checksum else {
      try Folder.remove(partPath)
      throw Self.wrongChecksum
    }
    try file.synchronize()
    try Folder.rename(partPath, to: path)
  }

  /// Resumes where a stream was interrupted.
  private func receiveAll(
    _ asset: TidingsV1.Asset,
    into part: inout Part,
    _ progress: Progress?
  ) async throws {
    var attempts = 0
    while true {
      let before = part.bytes
      do {
        return try await receive(asset, into: &part, progress)
      } catch let error as RPCError where error.code == .unavailable {
        attempts = part.bytes > before ? 1 : attempts + 1
        guard attempts < Self.attemptsMax else { throw error }
      }
    }
  }

  private func receive(
    _ asset: TidingsV1.Asset,
    into part: inout Part,
    _ progress: Progress?
  ) async throws {
    let stream = client.downloadAsset(
      .init(databaseID: databaseID, asset: asset, offset: part.bytes, userName: userName),
      options: CallOptions(metadata: options.metadata)
    )
    for try await message in stream {
      try part.append(message)
      progress?(
        .init(
          step: .transferring,
          bytesDone: part.bytes,
          bytesTotal: asset.size == 0 ? nil : asset.size
        )
      )
    }
  }

  private static let wrongChecksum = RPCError(
    .dataLoss,
    "what came is not the asset: its checksum is another; download it again, and if that does not "
      + "help, upload it again"
  )
}

/// The file of an asset that is not complete.
private struct Part {
  let file: File
  let asset: TidingsV1.Asset
  private(set) var bytes: UInt64 = 0
  private(set) var hash = SHA256()

  init(file: File, asset: TidingsV1.Asset) {
    self.file = file
    self.asset = asset
  }

  /// Goes on from what is in the file.
  mutating func resume(_ progress: AssetTransfer.Progress?) async throws {
    let size = try file.size
    guard asset.size == 0 || size <= asset.size else { return try file.truncate(to: 0) }
    while bytes < size {
      let end = min(size, bytes + UInt64(File.pieceBytes))
      try file.hash(into: &hash, bytes..<end)
      bytes = end
      progress?(.init(step: .reading, bytesDone: bytes, bytesTotal: size))
      await Task.yield()
      try Task.checkCancellation()
    }
  }

  mutating func append(_ message: TidingsV1.DownloadAssetResponse) throws {
    guard message.offset == bytes else {
      throw RPCError(.internal, "the server sent the bytes at \(message.offset), not at \(bytes)")
    }
    try file.write(message.chunk[...], at: bytes)
    hash.update(message.chunk[...])
    bytes += UInt64(message.chunk.count)
  }
}

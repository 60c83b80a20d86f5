internal import TidingsFiles
public import TidingsProto
internal import TidingsRPC

extension AssetTransfer {
  /// Bytes of one chunk, the most that the contract allows.
  static let chunkBytes = 1 << 20
  /// From this size on it is worth a call to ask whether, or how much of, an asset is there.
  static let askBytesMin: UInt64 = 64 << 10

  /// Uploads a file, so that records of the database may name it.
  ///
  /// What the server has already is not sent again.
  ///
  /// - Parameters:
  ///   - path: The file; it must not change meanwhile.
  ///   - progress: Called with the progress of the upload.
  /// - Returns: The asset, for a record's field.
  /// - Throws: `AssetFileError`, `RPCError`.
  public func upload(
    fileAt path: String,
    progress: Progress? = nil
  ) async throws -> TidingsV1.Asset {
    do {
      let file = try File(path: path, .read)
      guard try file.isRegular else {
        throw AssetFileError("'\(path)' is no file with content: an asset needs one")
      }
      return try await upload(.file(file, size: try file.size), progress)
    } catch let error as FileError {
      throw AssetFileError(error.description)
    }
  }

  /// Uploads bytes, so that records of the database may name them.
  ///
  /// - Parameters:
  ///   - content: The bytes.
  ///   - progress: Called with the progress of the upload.
  /// - Returns: The asset, for a record's field.
  /// - Throws: `RPCError`.
  public func upload(
    _ content: [UInt8],
    progress: Progress? = nil
  ) async throws -> TidingsV1.Asset {
    try await upload(.bytes(content), progress)
  }

  /// Uploads what a closure reads.
  ///
  /// - Parameters:
  ///   - size: Bytes in all.
  ///   - read: Returns bytes from an offset, as many as asked for; the same ones whenever it is called.
  /// - Returns: The asset, for a record's field.
  /// - Throws: What `read` throws; `RPCError`.
  package func upload(
    size: UInt64,
    reading read: @escaping @Sendable (_ offset: UInt64, _ count: Int) throws -> [UInt8]
  ) async throws -> TidingsV1.Asset {
    try await upload(.reader(read, size: size), nil)
  }

  private func upload(
    _ content: AssetContent,
    _ progress: Progress?
  ) async throws -> TidingsV1.Asset {
    let size = content.size
    let asset = TidingsV1.Asset(
      checksum: try await content.checksum { done in
        progress?(.init(step: .reading, bytesDone: done, bytesTotal: size))
      },
      size: size
    )
    var stored: UInt64 = 0
    var attempts = 0
    var isAsking = size >= Self.askBytesMin
    while true {
      let count = Int(min(UInt64(Self.chunkBytes), size - stored))
      let chunk = isAsking ? [] : try content.bytes(at: stored, count: count)
      isAsking = false
      let response = try await client.uploadAsset(
        .init(databaseID: databaseID, asset: asset, offset: stored, chunk: chunk),
        options: options
      )
      progress?(.init(step: .transferring, bytesDone: response.offset, bytesTotal: size))
      if response.complete { return asset }
      attempts = response.offset > stored || chunk.isEmpty ? 0 : attempts + 1
      guard attempts < Self.attemptsMax, response.offset < size else {
        throw RPCError(.internal, "the server does not store what it is sent")
      }
      stored = response.offset
    }
  }
}

/// What is uploaded.
private enum AssetContent {
  case file(File, size: UInt64)
  case bytes([UInt8])
  case reader(@Sendable (UInt64, Int) throws -> [UInt8], size: UInt64)

  var size: UInt64 {
    switch self {
    case .file(_, let size), .reader(_, let size): size
    case .bytes(let bytes): UInt64(bytes.count)
    }
  }

  func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
    switch self {
    case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + count])
    case .reader(let read, _): return try read(offset, count)
    case .file(let file, _):
      let bytes = try file.read(at: offset, count: count)
      guard bytes.count == count else {
        throw AssetFileError("the file became shorter while it was uploaded: upload it again")
      }
      return bytes
    }
  }

  func checksum(progress: (UInt64) -> Void) async throws -> [UInt8] {
    var hash = SHA256()
    var offset: UInt64 = 0
    while offset < size {
      let piece = try bytes(at: offset, count: Int(min(UInt64(File.pieceBytes), size - offset)))
      hash.update(piece[...])
      offset += UInt64(piece.count)
      progress(offset)
      // Others have their turns, and a task that was cancelled ends.
      await Task.yield()
      try Task.checkCancellation()
    }
    return hash.checksum()
  }
}

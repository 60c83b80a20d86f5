internal import Glibc
internal import Synchronization
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsModel
internal import TidingsRPC

/// The files of assets, beside the database, and the threads that work on them.
final class AssetFiles: AssetStorage {
  /// What the reading threads know.
  private final class Reader {
    private let connections: any StoreReaders
    private var openLookup: AssetLookup?

    init(_ connections: any StoreReaders) { self.connections = connections }

    /// Opened when it is needed; when that fails, the next call tries again.
    func lookup() throws -> AssetLookup {
      if let openLookup { return openLookup }
      let opened = try AssetLookup.open(connections)
      openLookup = opened
      return opened
    }
  }

  /// Threads that write, each the assets of its own, and threads that read.
  static let threadCount = 2
  /// How often files without rows are looked for: they are what a crash left.
  private static let sweepPause = Duration.seconds(6 * 3600)
  /// Files that are looked at in one piece of work.
  private static let pieceCount = 200

  private let folder: AssetFolder
  private let partHours: Int
  private let retentionHours: Int
  /// Nothing is swept before.
  private let sweepsAfter: SteadyTime
  private let steadyClock: SteadyClock
  private let logger: Logger
  private let writers: [WorkerThread<AssetShard>]
  private let readers: [WorkerThread<Reader>]
  private let nextReader = Atomic<Int>(0)
  private let sweeper = Mutex<Task<Void, Never>?>(nil)

  /// Opens the folder, and begins to look for what an earlier run left.
  ///
  /// - Parameters:
  ///   - folder: Where they are.
  ///   - connections: Of the store, which an engine has opened.
  ///   - sweepsAfter: Nothing is swept before: the store may be another than its files belong to.
  ///   - user: What the server wants.
  /// - Throws: `StartError`.
  init(
    in folder: AssetFolder,
    connections: any StoreReaders,
    sweepsAfter: SteadyTime,
    for user: AssetStorageUser
  ) throws(StartError) {
    let (limits, steadyClock) = (user.limits, user.steadyClock)
    self.folder = folder
    logger = user.logger
    self.steadyClock = steadyClock
    partHours = UnfinishedUploadRule(limits).expiryHours
    retentionHours = limits.assetRetentionHours
    self.sweepsAfter = sweepsAfter
    let unfinished: UnfinishedUploads
    do throws(FileError) {
      unfinished = try UnfinishedUploads(folder, limits: limits)
    } catch {
      throw StartError("\(error): the folder of the assets must be readable")
    }
    writers = (0..<Self.threadCount).map { _ in
      WorkerThread {
        AssetShard(
          folder,
          unfinished,
          readers: connections,
          steadyClock: steadyClock
        )
      }
    }
    readers = (0..<Self.threadCount).map { _ in WorkerThread { Reader(connections) } }
    sweeper.withLock { $0 = Task { await sweepForEver() } }
  }

  func stop() {
    sweeper.withLock { $0?.cancel() }
    for thread in writers { thread.stop() }
    for thread in readers { thread.stop() }
  }

  // MARK: Uploads

  func receive(
    _ upload: AssetUpload,
    offset: UInt64,
    chunk: [UInt8],
    addRow: () async throws -> Void
  ) async throws -> UploadProgress {
    let thread = writer(upload.asset.checksum)
    let step = try await thread.run { try $0.receive(upload, offset: offset, chunk: chunk) }
    switch step {
    case .stored(let bytes): return .stored(bytes)
    case .complete: return .complete
    case .placed: break
    }
    let row: Result<Void, any Error>
    do { row = .success(try await addRow()) } catch { row = .failure(error) }
    try await thread.run(isRest: true) { $0.settle(upload.asset.checksum) }
    try row.get()
    return .complete
  }

  // MARK: Downloads

  func open(
    _ asset: Asset,
    in database: DatabaseID,
    for user: String
  ) async throws -> OpenAsset? {
    let path = folder.filePath(asset.checksum)
    return try await reader().run { [self] reader -> OpenAsset? in
      guard
        let row = try reader.lookup().readableAsset(
          asset.checksum,
          in: database,
          by: user
        ),
        asset.size == 0 || asset.size == row.size
      else { return nil }
      guard let file = try Self.file(path), try file.size == row.size else {
        throw RPCError(
          .dataLoss,
          "the file of the asset \(asset.checksum.hexadecimal) is missing: upload the asset again, "
            + "or let an operator restore the folder of the assets"
        )
      }
      return OpenAsset(
        size: row.size,
        read: { [self] offset, count in
          try await self.reader().run { _ in try file.read(at: offset, count: count) }
        },
        damaged: { [self] in damage(to: asset.checksum) }
      )
    }
  }

  /// Notes that a file is not its asset, so that the next upload replaces it, and says so.
  private func damage(to checksum: [UInt8]) -> RPCError {
    writer(checksum).runDetached { $0.noteDamage(checksum) }
    return RPCError(
      .dataLoss,
      "the file of the asset \(checksum.hexadecimal) is damaged, its content has another checksum: "
        + "upload the asset again, or let an operator restore the folder of the assets",
      cause: FileError(
        "read",
        folder.filePath(checksum),
        code: EIO,
        reason: "its content has another checksum"
      )
    )
  }

  /// Opens a file; `nil` when it is not there.
  ///
  /// One that cannot be opened now is not lost.
  private static func file(_ path: String) throws(FileError) -> File? {
    do {
      return try File(path: path, .read)
    } catch  where error.isMissing {
      return nil
    }
  }

  // MARK: Collection

  // What is not removed now, because the asset is just being uploaded again or the disk refuses, is found by a later
  // sweep.
  func collect(_ checksums: [[UInt8]]) {
    for checksum in checksums {
      writer(checksum).runDetached { _ = try? $0.collect(checksum) }
    }
  }

  private func sweepForEver() async {
    while !Task.isCancelled {
      let wait = sweepsAfter.milliseconds - steadyClock.now.milliseconds
      guard wait <= 0 else {
        try? await Task.sleep(for: min(.milliseconds(wait), Self.sweepPause))
        continue
      }
      do {
        let removed = try await sweep()
        if removed > 0 {
          logger.log(.info, "files of assets without owners removed", ["count": "\(removed)"])
        }
      } catch  where !Task.isCancelled {
        logger.log(.warning, "the files of assets cannot be swept", ["reason": "\(error)"])
      } catch {}
      try? await Task.sleep(for: Self.sweepPause)
    }
  }

  /// Removes files without rows that are older than what nobody names is kept, and uploads that nobody
  /// continued.
  ///
  /// - Returns: How many.
  func sweep() async throws -> Int {
    var removed = 0
    let oldest = steadyClock.now.earlier(byHours: retentionHours)
    for group in AssetFolder.groups {
      let (folder, thread) = (folder, writer([group]))
      let checksums = try await thread.run { _ in try folder.checksums(in: group) }
      for piece in checksums.pieces(Self.pieceCount) {
        removed += try await thread.run { shard in
          try piece.count { try shard.collect($0, olderThan: oldest) }
        }
      }
    }
    let begin = steadyClock.now.earlier(byHours: partHours)
    for (index, thread) in writers.enumerated() {
      let folder = folder
      let names = try await thread.run { _ in
        try folder.partNames { Self.writerIndex($0) == index }
      }
      for piece in names.pieces(Self.pieceCount) {
        removed += try await thread.run { shard in
          try piece.count { try shard.collectPart($0, olderThan: begin) }
        }
      }
    }
    return removed
  }

  // MARK: Threads

  private static func writerIndex(_ firstByte: UInt8) -> Int { Int(firstByte) % threadCount }

  private func writer(_ checksum: [UInt8]) -> WorkerThread<AssetShard> {
    writers[Self.writerIndex(checksum[0])]
  }

  private func reader() -> WorkerThread<Reader> {
    let number = nextReader.wrappingAdd(1, ordering: .relaxed).newValue
    return readers[Int(number.magnitude % UInt(readers.count))]
  }
}

extension Array {
  /// Parts of at most so many elements, in order.
  fileprivate func pieces(_ count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}

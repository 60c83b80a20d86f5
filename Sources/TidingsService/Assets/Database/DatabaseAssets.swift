internal import Synchronization
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL

/// Assets whose content is in the tables of the database, and the threads that write and read it, each on a connection
/// of its own.
///
/// A content is complete with the transaction that writes the first row which names it, and removed with the one that
/// removes the last (`AssetContentTable.claim`): there are no pins, and nothing to look for after a crash except
/// uploads that nobody continues.
final class DatabaseAssets: AssetStorage {
  /// Threads that write, each uploads of its own, and threads that read.
  private static let threadCount = 2
  /// How often uploads that nobody continues are looked for, and how soon again if the database was out of reach.
  private static let sweepPause = Duration.seconds(6 * 3600)
  private static let failedSweepPause = Duration.seconds(60)

  private let user: AssetStorageUser
  private let rule: UnfinishedUploadRule
  private let writers: [WorkerThread<Result<DatabaseAssetShard, any Error>>]
  private let readers: [WorkerThread<Result<DatabaseAssetReader, any Error>>]
  private let nextReader = Atomic<Int>(0)
  private let sweeper = Mutex<Task<Void, Never>?>(nil)

  /// Starts the threads, and begins to look for what an earlier run left.
  ///
  /// - Parameters:
  ///   - connections: Makes connections that write.
  ///   - readers: Makes connections that read.
  ///   - user: What the server wants.
  init(
    connections: @escaping @Sendable () throws -> any SQLConnection,
    readers: any StoreReaders,
    for user: AssetStorageUser
  ) {
    self.user = user
    let rule = UnfinishedUploadRule(user.limits)
    self.rule = rule
    let clock = user.steadyClock
    writers = (0..<Self.threadCount).map { _ in
      WorkerThread { Result { try DatabaseAssetShard(connections(), rule, clock) } }
    }
    self.readers = (0..<Self.threadCount).map { _ in
      WorkerThread { Result { try DatabaseAssetReader(readers.connect(cacheBytes: 1 << 20)) } }
    }
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
    func step() async throws -> DatabaseAssetShard.Step {
      try await thread.run { try $0.get().receive(upload, offset: offset, chunk: chunk) }
    }
    var current = try await step()
    var isFirst = true
    while true {
      switch current {
      case .stored(let bytes): return .stored(bytes)
      case .complete: return .complete
      case .mismatched(let size, let checksum):
        removeSoon()
        throw upload.mismatch(size: size, checksum: checksum)
      case .verified:
        do {
          try await addRow()
          removeSoon()
          return .complete
        } catch let error as ItemError where error.code == .assetNotAvailable && isFirst {
          // The content was removed since, with the last row that named it: its bytes are needed.
          isFirst = false
          current = try await step()
        }
      }
    }
  }

  // MARK: Downloads

  func open(
    _ asset: Asset,
    in database: DatabaseID,
    for user: String
  ) async throws -> OpenAsset? {
    guard
      let content = try await reader().run({
        try $0.get().content(of: asset, in: database, for: user)
      })
    else { return nil }
    return OpenAsset(
      size: content.size,
      read: { [self] offset, count in
        try await reader().run { try $0.get().read(content, of: asset, at: offset, count: count) }
      },
      damaged: {
        let name = asset.checksum.hexadecimal
        return RPCError(
          .dataLoss,
          "the asset \(name) is damaged, its content has another checksum: let an operator restore "
            + "the database",
          cause: SQLError(.damaged, "the content of the asset \(name) has another checksum")
        )
      }
    )
  }

  // MARK: Removal

  func collect(_ checksums: [[UInt8]]) {
    if !checksums.isEmpty { removeSoon() }
  }

  /// Removes what was thrown away, in small pieces between uploads; what a failure leaves is for the next sweep.
  private func removeSoon() {
    writers[0].runDetached { [self] shard in
      if (try? shard.get().removeDropped()) == true { removeSoon() }
    }
  }

  private func sweepForEver() async {
    while !Task.isCancelled {
      var pause = Self.sweepPause
      do {
        let removed = try await sweep()
        if removed > 0 {
          user.logger.log(.info, "uploads that nobody continued removed", ["count": "\(removed)"])
        }
      } catch  where !Task.isCancelled {
        user.logger.log(.warning, "uploads cannot be swept", ["reason": "\(error)"])
        pause = Self.failedSweepPause
      } catch {}
      try? await Task.sleep(for: pause)
    }
  }

  /// Removes uploads that nobody continued, and what an earlier run has not removed.
  ///
  /// - Returns: How many uploads.
  private func sweep() async throws -> Int {
    let oldest = user.steadyClock.now.earlier(byHours: rule.expiryHours)
    let thread = writers[0]
    var removed = 0
    while true {
      let count = try await thread.run { try $0.get().dropUploads(olderThan: oldest) }
      if count == 0 { break }
      removed += count
    }
    while try await thread.run({ try $0.get().removeDropped() }) {}
    return removed
  }

  // MARK: Threads

  private func writer(
    _ checksum: [UInt8]
  ) -> WorkerThread<Result<DatabaseAssetShard, any Error>> {
    writers[Int(checksum[0]) % writers.count]
  }

  private func reader() -> WorkerThread<Result<DatabaseAssetReader, any Error>> {
    let number = nextReader.wrappingAdd(1, ordering: .relaxed).newValue
    return readers[Int(number.magnitude % UInt(readers.count))]
  }
}

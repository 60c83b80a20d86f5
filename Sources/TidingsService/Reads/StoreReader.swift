internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC

/// What one thread reads with.
final class StoreReader {
  let engine: EngineReader
  /// Where its requests are decoded.
  let arena: Arena
  private let readers: any StoreReaders
  let failures: StoreFailures
  /// The steady time of the store.
  let steadyClock: SteadyClock
  private let isStopping: () -> Bool

  init(
    _ engine: EngineReader,
    readers: any StoreReaders,
    failures: StoreFailures,
    steadyClock: SteadyClock,
    decodedBytesMax: Int,
    isStopping: @escaping () -> Bool
  ) {
    self.engine = engine
    arena = Arena(capacityBytes: decodedBytesMax)
    self.readers = readers
    self.failures = failures
    self.steadyClock = steadyClock
    self.isStopping = isStopping
  }

  /// Whether a slice is to end, now that it took this long: its snapshot may be in the way, too.
  func isOver(_ slice: ReadSlice) -> Bool {
    slice.isOver || readers.mustEndSnapshots || isStopping()
  }

  /// Reads within a snapshot, until a deadline.
  func withSnapshot<Output>(
    until deadline: ContinuousClock.Instant?,
    worked: Duration,
    _ work: (StoreReader) throws -> Output
  ) throws -> Output {
    readers.snapshotBegins()
    return try read(until: deadline, worked: worked, work)
  }

  /// The same on the loop; `nil`: the store may be waiting for the loop, and nothing can be read now.
  func withSnapshotAtOnce<Output>(
    until deadline: ContinuousClock.Instant?,
    worked: Duration,
    _ work: (StoreReader) throws -> Output
  ) throws -> Output? {
    guard readers.snapshotBeginsAtOnce() else { return nil }
    return try read(until: deadline, worked: worked, work)
  }

  private func read<Output>(
    until deadline: ContinuousClock.Instant?,
    worked: Duration,
    _ work: (StoreReader) throws -> Output
  ) throws -> Output {
    defer {
      readers.snapshotEnded()
      arena.reset()
    }
    let end = ContinuousClock.now.advanced(by: ReaderPool.jobTimeMax - worked)
    return try engine.withSnapshot(
      checking: { [readers, isStopping] in
        if isStopping() { throw RPCError(.unavailable, "the server is stopping") }
        if readers.mustEndSnapshots { throw Self.heldLogTooLong }
        let now = ContinuousClock.now
        if let deadline, deadline <= now {
          throw RPCError(.deadlineExceeded, "the deadline passed while the query worked")
        }
        guard now < end else { throw Self.tookTooLong }
      },
      { try work(self) }
    )
  }

  private static let heldLogTooLong = RPCError(
    .unavailable,
    "the query kept the log of the store from being moved for too long: try again, or ask "
      + "ExplainQuery which index to declare",
    details: [.retryInfo(after: .seconds(1))]
  )

  private static let tookTooLong = ItemError(
    .limitExceeded,
    "the query worked for \(ReaderPool.jobTimeMax) and found no end: ask ExplainQuery with a "
      + "narrower predicate which index to declare"
  )
}

/// The time in which a thread works on a job before others have their turns.
struct ReadSlice {
  let end: ContinuousClock.Instant
  /// What of a query begins: others wait for the end.
  let effort: QueryEffort

  /// Whether it has passed.
  var isOver: Bool { end <= .now }
}

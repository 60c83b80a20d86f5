internal import Synchronization
internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsThreads

/// Metrics that the store is read for, on a thread of their own and not more often than every 10 seconds.
final class StoreSizesWatch: Sendable {
  private static let interval = Duration.seconds(10)

  private struct State {
    var read: ContinuousClock.Instant?
    var isReading = false
    var families: [MetricFamily] = []
  }

  private let readers: any StoreReaders
  private let state = Mutex(State())

  init(_ readers: any StoreReaders) { self.readers = readers }

  /// What was read last; reads again when that is old, and waits for it the first time.
  func families() async -> [MetricFamily] {
    let (begins, waits) = state.withLock { state -> (Bool, Bool) in
      let isOld = state.read.map { $0.duration(to: .now) >= Self.interval } ?? true
      guard isOld, !state.isReading else { return (false, false) }
      state.isReading = true
      return (true, state.read == nil)
    }
    if begins {
      if waits {
        await withCheckedContinuation { done in
          startThread { [self] in
            read()
            done.resume()
          }
        }
      } else {
        startThread { [self] in read() }
      }
    }
    return state.withLock(\.families)
  }

  private func read() {
    // What cannot be read is not there.
    let sizes = try? readers.sizes()
    readers.snapshotBegins()
    let work = try? WorkBacklog(readers.connect(cacheBytes: 1 << 20))
    readers.snapshotEnded()
    var families: [MetricFamily] = []
    if let sizes {
      families.append(
        .gauge("tidings_database_bytes", "Size of the database.", Double(sizes.databaseBytes))
      )
    }
    if let work {
      families += [
        .gauge("tidings_work_groups", "Groups of devices that share notifications.", work.groups),
        .gauge(
          "tidings_work_pending",
          "Notifications that groups have not got yet, among them those that nobody may see any more.",
          work.pending
        ),
        .gauge("tidings_work_leased", "Notifications that devices of groups have.", work.leased),
      ]
    }
    state.withLock { state in
      (state.read, state.isReading) = (.now, false)
      state.families = families
    }
  }
}

import BenchCore
import Synchronization

/// The size of the database file before, with and after the zone that is deleted.
final class SoakReleases: Sendable {
  private struct State {
    var current = SoakRelease(before: 0, full: 0, after: 0, seconds: 0)
    var ended: [SoakRelease] = []
  }

  private let state = Mutex(State())

  var all: [SoakRelease] { state.withLock(\.ended) }

  /// Whether enough of the current one was given back.
  var isEnough: Bool { state.withLock { $0.current.isEnough(SoakTolerance()) } }

  func begin(_ bytes: Double) {
    state.withLock {
      $0.current = SoakRelease(before: bytes, full: bytes, after: bytes, seconds: 0)
    }
  }

  func full(_ bytes: Double) { state.withLock { $0.current.full = bytes } }

  func note(_ bytes: Double, _ seconds: Double) {
    state.withLock { state in
      // The last records are in the log first.
      state.current.full = max(state.current.full, bytes)
      (state.current.after, state.current.seconds) = (bytes, seconds)
    }
  }

  func end(isCounted: Bool) {
    state.withLock { if isCounted { $0.ended.append($0.current) } }
  }
}

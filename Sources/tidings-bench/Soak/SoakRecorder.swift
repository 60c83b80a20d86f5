import BenchCore
import Synchronization

/// What the tasks of a soak note, until the next second takes it.
final class SoakRecorder: Sendable {
  private struct State {
    var calls: [SoakCall] = []
    var running: Set<SoakActivity> = [.warmup]
    /// Those that ran at any time since the last look.
    var seen: Set<SoakActivity> = [.warmup]
    var completed: [SoakActivity: Int] = [:]
    var failures: [String: Int] = [:]
    /// When saves began whose notifications are still to come, by user and record.
    var saves: [String: UInt64] = [:]
    var isStopped = false
  }

  private static let failuresMax = 20

  private let state = Mutex(State())

  var isStopped: Bool { state.withLock(\.isStopped) }
  var completed: [SoakActivity: Int] { state.withLock(\.completed) }
  var failures: [String: Int] { state.withLock(\.failures) }

  func stop() { state.withLock { $0.isStopped = true } }

  func add(_ kind: SoakKind, _ latency: UInt64) {
    state.withLock { $0.calls.append(SoakCall(kind.rawValue, latency: latency)) }
  }

  /// Notes a call that failed; what fails while the run ends does not count.
  func fail(_ what: String, _ error: any Error) {
    let text = "\(what): \(error)"
    state.withLock { state in
      guard !state.isStopped else { return }
      let isKnown = state.failures[text] != nil || state.failures.count < Self.failuresMax
      state.failures[isKnown ? text : "others", default: 0] += 1
    }
  }

  func begin(_ activity: SoakActivity) {
    state.withLock { state in
      state.running.insert(activity)
      state.seen.insert(activity)
    }
  }

  func end(_ activity: SoakActivity, isCompleted: Bool = true) {
    state.withLock { state in
      state.running.remove(activity)
      if isCompleted { state.completed[activity, default: 0] += 1 }
    }
  }

  /// Notes an activity that was noticed afterwards.
  func count(_ activity: SoakActivity) {
    state.withLock { $0.completed[activity, default: 0] += 1 }
  }

  /// Notes the begin of a save that fires.
  func expectPush(_ record: String, since began: UInt64) {
    state.withLock { $0.saves[record] = began }
  }

  /// Notes a notification.
  func notePush(_ record: String, at now: UInt64) {
    state.withLock { state in
      guard let began = state.saves.removeValue(forKey: record) else { return }
      state.calls.append(SoakCall(SoakKind.push.rawValue, latency: now - began))
    }
  }

  /// The calls since the last look, and what ran meanwhile.
  func take() -> (calls: [SoakCall], activities: Set<SoakActivity>) {
    state.withLock { state in
      defer {
        state.calls = []
        state.seen = state.running
      }
      return (state.calls, state.seen)
    }
  }
}

import BenchCore
import Synchronization

/// What the tasks of a soak note, until the next second takes it.
final class SoakRecorder: Sendable {
  /// A call that was answered.
  private struct Answered {
    let kind: SoakKind
    let began: UInt64
    let ended: UInt64
  }

  private struct State {
    var calls: [Answered] = []
    var running: Set<SoakActivity> = [.warmup]
    /// Those that ran at any time since the last look.
    var seen: Set<SoakActivity> = [.warmup]
    var completed: [SoakActivity: Int] = [:]
    var round = 0
    var failures: [String: Int] = [:]
    /// When saves began whose notifications are still to come, by user and record.
    var saves: [String: UInt64] = [:]
    /// Those who had a notification: what is saved before they listen is not waited for.
    var listeners: Set<String> = []
    var isStopped = false

    mutating func noteFailure(_ text: String, count: Int = 1) {
      let isKnown = failures[text] != nil || failures.count < SoakRecorder.failuresMax
      failures[isKnown ? text : "others", default: 0] += count
    }

    mutating func noteMissingPushes(at now: UInt64) {
      let missing = saves.filter { $0.value + SoakRecorder.pushPatience < now }
      guard !missing.isEmpty, !isStopped else { return }
      for record in missing.keys { saves[record] = nil }
      noteFailure("push: no notification of a save within 30 s", count: missing.count)
    }
  }

  private static let failuresMax = 20
  /// A notification that takes longer counts as one that is missing.
  private static let pushPatience: UInt64 = 30_000_000_000

  private let state = Mutex(State())

  var isStopped: Bool { state.withLock(\.isStopped) }
  var completed: [SoakActivity: Int] { state.withLock(\.completed) }
  var failures: [String: Int] { state.withLock(\.failures) }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Notes a call that was answered.
  func add(_ kind: SoakKind, from began: UInt64, to ended: UInt64) {
    state.withLock { $0.calls.append(Answered(kind: kind, began: began, ended: ended)) }
  }

  /// Notes a call that failed; what fails while the run ends does not count.
  func fail(_ what: String, _ error: any Error) {
    let text = "\(what): \(error)"
    state.withLock { state in
      guard !state.isStopped else { return }
      state.noteFailure(text)
    }
  }

  /// Notes that the activities start again with the first one.
  func beginRound() { state.withLock { $0.round += 1 } }

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

  /// Notes the begin of a save of a user that fires.
  func expectPush(_ record: String, of user: String, since began: UInt64) {
    state.withLock { state in
      // The notification of an earlier save of the record, if it is still to come, is waited for.
      guard state.listeners.contains(user), state.saves[record] == nil else { return }
      state.saves[record] = began
    }
  }

  /// Notes a notification of a user.
  func notePush(_ record: String, of user: String, at now: UInt64) {
    state.withLock { state in
      state.listeners.insert(user)
      guard let began = state.saves.removeValue(forKey: record) else { return }
      state.calls.append(Answered(kind: .push, began: began, ended: now))
    }
  }

  /// The calls since the last look, what ran meanwhile, and in which round.
  func take(at now: UInt64) -> (calls: [SoakCall], activities: Set<SoakActivity>, round: Int) {
    state.withLock { state in
      state.noteMissingPushes(at: now)
      defer {
        state.calls = []
        state.seen = state.running
      }
      let calls = state.calls.map { call in
        SoakCall(
          call.kind.rawValue,
          latency: call.ended - call.began,
          age: Double(max(now, call.ended) - call.began) / 1e9
        )
      }
      return (calls, state.seen, state.round)
    }
  }
}

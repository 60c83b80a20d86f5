internal import Synchronization

/// Fetches, saves, saves with a change tag and deletions of a few records.
///
/// A record is used for some calls only, then another one: the search for an order stays small.
final class RegisterWorkload: Workload {
  private static let recordsAtOnce = 2
  private static let callsPerRecord = 60
  /// How many of a hundred saves have an idempotency key: the client repeats these, which must not do them twice.
  static let keyedShare = 30

  private struct State {
    /// Records in use, with their calls.
    var active: [(name: String, calls: Int)] = []
    var recordCount = 0
  }

  /// What one process knows of a record.
  struct Known {
    /// The newest version that it has seen.
    var newest: Version
    /// The versions that it has saved one after the other.
    var own: [Version] = []
  }

  let stage: Stage
  private let state = Mutex(State())
  let zone: String

  init(_ stage: Stage) {
    self.stage = stage
    zone = stage.runName
  }

  var zones: [String] { [zone] }

  func run(_ process: inout LogicalProcess) async throws {
    var known: [String: Known] = [:]
    while stage.isOpen {
      let name = nextRecord(&process.random)
      if known[name] == nil {
        // Records of before are not used again.
        known = known.filter { entry in
          state.withLock { $0.active.contains { $0.name == entry.key } }
        }
        known[name] = Known(newest: Version(name))
      }
      var mine = known[name] ?? Known(newest: Version(name))
      switch process.random.below(100) {
      case 0..<40: try await read(name, &mine, &process)
      case 40..<65: try await write(name, &mine, &process)
      case 65..<95: try await swap(name, &mine, &process)
      default: try await delete(name, &process)
      }
      known[name] = mine
    }
  }

  func finish(_ process: inout LogicalProcess) async throws {
    for name in state.withLock({ $0.active.map(\.name) }) {
      let patience = Patience(stage.settings.patience)
      var known = Known(newest: Version(name))
      while try await read(name, &known, &process).outcome != .ok {
        if patience.isOver { throw CheckError("record '\(name)' was not read in the end") }
      }
    }
  }

  private func nextRecord(_ random: inout SeededRandom) -> String {
    let choice = random.below(Self.recordsAtOnce)
    return state.withLock { state in
      while state.active.count < Self.recordsAtOnce {
        state.active.append(("r\(state.recordCount)", 0))
        state.recordCount += 1
      }
      let name = state.active[choice].name
      state.active[choice].calls += 1
      if state.active[choice].calls == Self.callsPerRecord { state.active.remove(at: choice) }
      return name
    }
  }
}

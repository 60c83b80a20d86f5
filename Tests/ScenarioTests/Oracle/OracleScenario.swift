internal import TestSupport
internal import TidingsProto

/// A run of operations, and what led to its end.
struct OracleScenario {
  var operations: [OracleOperation] = []
  /// What the last of them found different; `nil`: nothing.
  var complaint: String?
  /// How the server runs.
  let manner: OracleManner

  /// Does random operations until one is answered differently.
  static func random(seed: UInt64, count: Int) async throws -> OracleScenario {
    let manner = OracleManner(seed: seed)
    var session = try await OracleSession(manner)
    var generator = OracleGenerator(seed: seed)
    var scenario = OracleScenario(manner: manner)
    while scenario.complaint == nil, scenario.operations.count < count {
      var operation = generator.next(session.oracle)
      if scenario.operations.count == count - 1 { operation.action = .compareEverything }
      scenario.operations.append(operation)
      scenario.complaint = try await session.perform(operation)
    }
    try await session.end()
    return scenario
  }

  /// Does these operations, until one is answered differently.
  static func replay(
    _ operations: [OracleOperation],
    _ manner: OracleManner
  ) async throws -> OracleScenario {
    var session = try await OracleSession(manner)
    var scenario = OracleScenario(manner: manner)
    for operation in operations where scenario.complaint == nil {
      scenario.operations.append(operation)
      scenario.complaint = try await session.perform(operation)
    }
    try await session.end()
    return scenario
  }

  /// A shorter run that ends with a difference too: leaves parts out, ever smaller ones, as long as
  /// there is time.
  func shortened(within time: Duration) async throws -> OracleScenario {
    let deadline = ContinuousClock.now + time
    var best = self
    var length = max(1, operations.count / 2)
    while true {
      var start = 0
      // The last operation is the one that shows it.
      while start < best.operations.count - 1, ContinuousClock.now < deadline {
        var fewer = best.operations
        fewer.removeSubrange(start..<min(start + length, fewer.count - 1))
        let attempt = try await Self.replay(fewer, manner)
        if attempt.complaint != nil { best = attempt } else { start += length }
      }
      if length == 1 || ContinuousClock.now >= deadline { break }
      length = max(1, length / 2)
    }
    for index in best.operations.indices.reversed() {
      var item = 0
      while let simpler = best.operations[index].without(item: item), ContinuousClock.now < deadline
      {
        var fewer = best.operations
        fewer[index] = simpler
        let attempt = try await Self.replay(fewer, manner)
        if attempt.complaint != nil, attempt.operations.count == fewer.count {
          best = attempt
        } else {
          item += 1
        }
      }
    }
    return best
  }

  var story: String {
    let lines = operations.enumerated().map { "\($0 + 1). \($1)" }
    return lines.joined(separator: "\n") + "\n\(complaint ?? "no difference")"
  }
}

extension OracleOperation {
  /// The same without one record of a call that changes some; `nil`: it has no such record.
  fileprivate func without(item: Int) -> OracleOperation? {
    guard case .modify(var change, let mishap) = action else { return nil }
    let saveCount = change.request.recordsToSave.count
    if item < saveCount {
      change.request.recordsToSave.remove(at: item)
    } else if item - saveCount < change.request.recordIDsToDelete.count {
      change.request.recordIDsToDelete.remove(at: item - saveCount)
    } else {
      return nil
    }
    var copy = self
    copy.action = .modify(change, mishap)
    return copy
  }
}

import CheckCore
import RandomSupport

/// Histories of one register: right ones, and any.
enum SimulatedRegister {
  /// Calls of several processes, each with its effect at a moment between begin and end.
  static func calls(
    _ count: Int,
    processes: Int,
    unknownPercent: Int,
    _ random: inout SplitMix64
  ) -> [Call] {
    // The moment of the effect, and what it is; then they happen in order.
    var plans: [(moment: Int64, happens: Bool, call: Call)] = []
    var free = Array(repeating: Int64(0), count: processes)
    for number in 0..<count {
      let process = random.below(processes)
      let begin = free[process] + Int64(1 + random.below(5))
      let moment = begin + Int64(1 + random.below(20))
      let end = moment + Int64(1 + random.below(20))
      free[process] = end
      let kind = random.pick([.read, .read, .write, .swap, .swap, .delete] as [Call.Kind])
      var call = Call(kind, "r", process, at: begin...end)
      if kind != .read, kind != .delete { call.sent = [Version("r", Int64(number + 1))] }
      var happens = true
      if random.below(100) < unknownPercent {
        call.outcome = .unknown
        happens = random.oneIn(2)
      }
      // Late, by any time.
      let late = call.outcome == .unknown ? Int64(random.below(60)) : 0
      plans.append((moment + late, happens, call))
    }
    plans.sort { $0.moment < $1.moment }
    var content: Int64?
    var known: [Int: Int64?] = [:]
    return plans.map { plan in
      var call = plan.call
      switch call.kind {
      case .write: if plan.happens { content = call.sent[0].value }
      case .delete: if plan.happens { content = nil }
      case .swap:
        let expected = known[call.process] ?? content
        call.sent.insert(Version("r", expected), at: 0)
        if content == expected {
          if plan.happens { content = call.sent[1].value }
        } else if call.outcome == .ok {
          call.outcome = .failed
          call.reason = Call.conflict
          call.got = [Version("r", content)]
        }
      default: call.got = [Version("r", content)]
      }
      known[call.process] = .some(content)
      return call
    }
  }

  /// A few calls with any answers.
  static func anything(_ count: Int, _ random: inout SplitMix64) -> [Call] {
    (0..<count).map { number in
      let begin = Int64(random.below(20))
      let kind = random.pick([.read, .write, .swap, .delete] as [Call.Kind])
      var call = Call(kind, "r", number, at: begin...begin + Int64(1 + random.below(12)))
      let seen = random.pick([nil, 1, 2, 3] as [Int64?])
      switch kind {
      case .read: call.got = [Version("r", seen)]
      case .write: call.sent = [Version("r", Int64(number + 1))]
      case .swap: call.sent = [Version("r", seen), Version("r", Int64(number + 1))]
      default: break
      }
      if kind != .read, random.oneIn(3) { call.outcome = .unknown }
      return call
    }
  }

  /// Whether some order of the calls explains them, by trying all.
  static func hasOrder(_ calls: [Call]) -> Bool { hasOrder(calls, content: nil) }

  private static func hasOrder(_ left: [Call], content: Int64?) -> Bool {
    if left.allSatisfy({ $0.outcome == .unknown }) { return true }
    for (index, call) in left.enumerated() {
      // Another one that is left ended before it began.
      if left.contains(where: { $0.outcome == .ok && $0.end < call.begin }) { continue }
      var rest = left
      rest.remove(at: index)
      switch call.kind {
      case .read: if content != call.got[0].value { continue }
      case .swap: if content != call.sent[0].value { continue }
      default: break
      }
      let after = call.kind == .read ? content : call.kind == .delete ? nil : call.sent.last?.value
      if hasOrder(rest, content: after) { return true }
    }
    return false
  }
}

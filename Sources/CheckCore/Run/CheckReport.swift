/// What was found in a history, by workload.
package struct CheckReport: Sendable {
  /// The figures and the violations of one workload.
  package struct Row: Sendable {
    package let workload: WorkloadName
    package let calls: Int
    package let ok: Int
    package let failed: Int
    package let unknown: Int
    /// Notifications that consumers and workers got.
    package let notifications: Int
    package let violations: [Violation]

    fileprivate init(_ workload: WorkloadName, _ calls: [Call]) {
      self.workload = workload
      self.calls = calls.count
      ok = calls.count { $0.outcome == .ok }
      failed = calls.count { $0.outcome == .failed }
      unknown = calls.count { $0.outcome == .unknown }
      notifications = calls.filter { [.log, .delivery, .lease].contains($0.kind) }
        .reduce(0) { $0 + $1.notices.count }
      violations = workload.violations(in: calls)
    }

    private var verdict: String {
      if violations.isEmpty { return "ok" }
      return violations.allSatisfy(\.isUndecided) ? "UNDECIDED" : "VIOLATED"
    }

    /// One line, for people.
    package var line: String {
      let name = workload.rawValue
      let padding = String(repeating: " ", count: max(1, 15 - name.count))
      return "\(name)\(padding)\(calls) calls, \(ok) ok, \(failed) failed, \(unknown) unknown, "
        + "\(notifications) notifications: \(verdict)"
    }
  }

  package let history: History
  package let rows: [Row]

  /// Decides a history.
  package init(_ history: History) {
    self.history = history
    rows = WorkloadName.allCases.compactMap { name in
      history.calls[name].map { Row(name, $0) }
    }
  }

  /// Whether nothing was violated, and all was decided.
  package var isFine: Bool { rows.allSatisfy(\.violations.isEmpty) }

  /// The lines of the workloads, the violations, and a line that sums them up.
  package var text: String {
    var lines = rows.map(\.line)
    for row in rows {
      for violation in row.violations { lines += ["", "\(row.workload.rawValue): \(violation)"] }
    }
    let violated = rows.count { !$0.violations.isEmpty }
    if violated > 0 { lines.append("") }
    lines.append(
      violated == 0
        ? "no violation found, seed \(history.seed)"
        : "\(violated) of \(rows.count) workloads violated, seed \(history.seed)"
    )
    return lines.joined(separator: "\n") + "\n"
  }
}

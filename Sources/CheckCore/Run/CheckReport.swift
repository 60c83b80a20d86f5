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
    /// Why the workload ended early, or what its history lacks; violations may be consequences.
    package let failure: String?

    fileprivate init(_ workload: WorkloadName, _ calls: [Call], _ failure: String?) {
      self.failure = failure ?? Evidence(calls, of: workload).gap
      self.workload = workload
      self.calls = calls.count
      ok = calls.count { $0.outcome == .ok }
      failed = calls.count { $0.outcome == .failed }
      unknown = calls.count { $0.outcome == .unknown }
      notifications = calls.filter { [.log, .delivery, .lease].contains($0.kind) }
        .reduce(0) { $0 + $1.notices.count }
      violations = workload.violations(in: calls)
    }

    /// Whether it was completed and shows enough, and nothing was violated.
    package var isFine: Bool { failure == nil && violations.isEmpty }

    private var verdict: String {
      if failure != nil { return "INCOMPLETE" }
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
      history.calls[name].map { Row(name, $0, history.failures[name]) }
    }
  }

  /// Whether something was checked, nothing was violated, and all was decided.
  package var isFine: Bool { !rows.isEmpty && rows.allSatisfy(\.isFine) }

  /// Most violations of a workload that are shown.
  private static let violationsMax = 3

  /// The lines of the workloads, the violations, and a line that sums them up.
  package var text: String {
    var lines = rows.map(\.line)
    for row in rows {
      let name = row.workload.rawValue
      if let failure = row.failure { lines += ["", "\(name): incomplete: \(failure)"] }
      let shown = row.violations.prefix(Self.violationsMax)
      for violation in shown { lines += ["", "\(name): \(violation)"] }
      let others = row.violations.count - shown.count
      if others > 0 { lines += ["", "\(name): and \(others) other violations"] }
    }
    guard !rows.isEmpty else { return "nothing was checked, seed \(history.seed)\n" }
    let wrong = rows.count { !$0.isFine }
    if wrong > 0 { lines.append("") }
    lines.append(
      wrong == 0
        ? "no violation found, seed \(history.seed)"
        : "\(wrong) of \(rows.count) workloads failed, seed \(history.seed)"
    )
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Decides whether records are linearizable registers: fetches, saves, saves with a change tag and
/// deletions, each taking effect at one moment between its begin and its end.
///
/// Each record is decided by itself (linearizability is local). All saves write different values, so a
/// change tag stands for a value.
package struct RegisterCheck {
  private let calls: [Call]

  package init(_ calls: [Call]) { self.calls = calls }

  package func violations() -> [Violation] {
    let records = Dictionary(grouping: calls, by: \.subject).sorted { $0.key < $1.key }
    return tagViolations() + records.compactMap { record, calls in Self.decide(record, calls) }
  }

  private static func decide(_ record: String, _ calls: [Call]) -> Violation? {
    var search = LinearSearch(RegisterStep.steps(of: calls))
    switch search.run() {
    case .linearizable: return nil
    case .undecided:
      return Violation(
        "record \(record): undecided after \(LinearSearch.nodesMax) states",
        isUndecided: true
      )
    case .stuck(let steps):
      return Violation(
        "record \(record) is not linearizable: no order of its calls explains one of these",
        steps.map { calls[$0.index] }
      )
    }
  }

  /// One change tag never stands for two versions.
  private func tagViolations() -> [Violation] {
    var seen: [String: (version: Version, call: Call)] = [:]
    for call in calls {
      for version in call.got where !version.tag.isEmpty {
        if let earlier = seen[version.tag], earlier.version != version {
          return [
            Violation(
              "the change tag \(version.tag) stands for two versions",
              [earlier.call, call]
            )
          ]
        }
        seen[version.tag] = (version, call)
      }
    }
    return []
  }
}

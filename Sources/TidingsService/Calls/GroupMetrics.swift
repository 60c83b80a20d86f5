internal import TidingsMetrics

/// How large groups are, and how long their commits take.
struct GroupMetrics {
  /// Commits of groups that may have written, in nanoseconds.
  private(set) var commits = Histogram(.durations)
  /// Calls of a group.
  private(set) var calls = Histogram(.counts)

  /// A group is durable.
  mutating func note(_ group: CommittedGroup, from begin: Int64, to end: Int64) {
    guard group.calls.mayHaveWritten else { return }
    commits.note(UInt64(max(0, end - begin)))
    if !group.calls.answers.isEmpty { calls.note(UInt64(group.calls.answers.count)) }
  }
}

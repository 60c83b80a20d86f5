/// Records whose references have no targets yet.
struct PendingRecords {
  private var failures: [ImportOutcome.Failure] = []
  /// The latest line of each name.
  private var lines: [UInt64: Int] = [:]
  /// The total size of the records, in bytes.
  private(set) var bytesCount = 0

  var isEmpty: Bool { failures.isEmpty }

  /// Adds a record, replacing one of the same name from an earlier line.
  mutating func add(_ failure: ImportOutcome.Failure) {
    failures.append(failure)
    bytesCount += failure.bytes.count
    if let name = failure.nameHash { lines[name] = max(lines[name] ?? 0, failure.line) }
  }

  /// Removes records of which a later line was saved.
  mutating func forget(_ outcome: ImportOutcome) {
    guard !failures.isEmpty else { return }
    let failed = Set(outcome.failures.map(\.line))
    for (name, line) in zip(outcome.batch.nameHashes, outcome.batch.lines) {
      guard let name, let waiting = lines[name], waiting < line, !failed.contains(line) else {
        continue
      }
      lines[name] = line
    }
  }

  /// Removes and returns all, in the order of their lines or reversed.
  mutating func takeAll(backwards: Bool) -> [ImportOutcome.Failure] {
    let newest = failures.filter { failure in
      failure.nameHash.map { lines[$0] == failure.line } ?? true
    }
    failures = []
    lines = [:]
    bytesCount = 0
    return newest.sorted { backwards ? $0.line > $1.line : $0.line < $1.line }
  }
}

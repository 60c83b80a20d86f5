/// Decides whether sets contain what was inserted: everything that was acknowledged, and nothing that
/// failed.
///
/// A read contains what was acknowledged before it began, whatever an earlier read contained, and
/// nothing whose insert had not begun when it ended.
package struct SetCheck {
  private let inserts: [Call]
  private let reads: [Call]

  package init(_ calls: [Call]) {
    inserts = calls.filter { $0.kind == .insert }
    reads = calls.filter { $0.kind == .list && $0.outcome == .ok }.sorted { $0.begin < $1.begin }
  }

  package func violations() -> [Violation] {
    torn
      + Dictionary(grouping: reads, by: \.subject).sorted { $0.key < $1.key }
      .compactMap { subject, reads in violation(in: subject, reads) }
  }

  /// Batches of which only a part was acknowledged.
  private var torn: [Violation] {
    inserts.filter { $0.outcome == .ok && $0.got.count != $0.sent.count }.prefix(1)
      .map { Violation("a part of an atomic batch was acknowledged", [$0]) }
  }

  /// What is wrong with the reads of one set, or of all (the empty subject).
  private func violation(in subject: String, _ reads: [Call]) -> Violation? {
    var (origin, required): ([String: Call], [String: Call]) = ([:], [:])
    var acknowledged: [(end: Int64, insert: Call)] = []
    for insert in inserts where subject.isEmpty || insert.subject == subject {
      for version in insert.sent { origin[version.name] = insert }
      if insert.outcome == .ok { acknowledged.append((insert.end, insert)) }
    }
    acknowledged.sort { $0.end < $1.end }
    var seenBefore: [(end: Int64, read: Call)] = []
    var next = 0
    for read in reads {
      while next < acknowledged.count, acknowledged[next].end < read.begin {
        let insert = acknowledged[next].insert
        for version in insert.sent { required[version.name] = insert }
        next += 1
      }
      for earlier in seenBefore where earlier.end < read.begin {
        for version in earlier.read.got {
          required[version.name] = required[version.name] ?? earlier.read
        }
      }
      seenBefore.removeAll { $0.end < read.begin }
      let found = Set(read.got.map(\.name))
      if let name = read.got.map(\.name).first(where: { !Self.mayContain(origin[$0], read) }) {
        return Violation(
          "'\(name)' is in the set, but no insert of it had begun, or it failed",
          [origin[name], read].compactMap { $0 }
        )
      }
      if found.count != read.got.count {
        return Violation("a read contains an element more than once", [read])
      }
      if let (name, call) = required.filter({ !found.contains($0.key) }).min(by: { $0.key < $1.key }
      ) {
        return Violation("'\(name)' was acknowledged or read, and is lost", [call, read])
      }
      seenBefore.append((read.end, read))
    }
    return nil
  }

  private static func mayContain(_ insert: Call?, _ read: Call) -> Bool {
    guard let insert else { return false }
    return insert.outcome != .failed && insert.begin < read.end
  }
}

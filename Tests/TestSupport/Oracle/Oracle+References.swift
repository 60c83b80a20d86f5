internal import TidingsProto

/// A reference that binds two records of a zone.
struct Bond: Hashable {
  enum Kind { case deleteSelf, validate, parent }
  var kind: Kind
  var target: String
}

extension TidingsV1.Record {
  var references: [TidingsV1.Reference] {
    fields.values.flatMap { field -> [TidingsV1.Reference] in
      switch field.value {
      case .referenceValue(let reference): [reference]
      case .referenceListValue(let list): list.values
      default: []
      }
    }
  }

  var bonds: Set<Bond> {
    var bonds: Set<Bond> = []
    for reference in references {
      let target = reference.recordID?.recordName ?? ""
      if reference.action == .deleteSelf { bonds.insert(Bond(kind: .deleteSelf, target: target)) }
      if reference.action == .validate { bonds.insert(Bond(kind: .validate, target: target)) }
    }
    if let parent { bonds.insert(Bond(kind: .parent, target: parent.recordID?.recordName ?? "")) }
    return bonds
  }
}

extension Oracle {
  /// Whether a reference that binds leaves the zone, or a parent binds as a field would.
  func pointsOutside(_ record: TidingsV1.Record, of zone: String) -> Bool {
    let parents = record.parent.map { $0.recordID?.recordName.isEmpty ?? true ? [] : [$0] } ?? []
    let binding = record.references.filter { $0.action == .deleteSelf || $0.action == .validate }
    return (binding + parents).contains { zoneName($0.recordID?.zoneID) != zone }
      || parents.contains { $0.action != .none && $0.action != .unspecified }
  }
}

/// What one call does to the records of a zone, and what references say to it.
///
/// Saves and deletions are one change set: references are checked against its result.
struct ReferenceCheck {
  /// The zone as it is, without the call.
  let stored: [String: TidingsV1.Record]
  /// By item: what would be saved.
  var saves: [Int: TidingsV1.Record]
  /// By item: the name of what would be deleted.
  var deletions: [Int: String]

  /// For each record that is cascaded, what it refers to among all that goes.
  private(set) var cascade: [String: Set<String>] = [:]

  /// The zone as it would be with the saves alone.
  private var after: [String: TidingsV1.Record] {
    var after = stored
    for save in saves.values { after[save.recordID?.recordName ?? ""] = save }
    return after
  }

  /// Finds what goes with the deletions, and the items that cannot be: saves, or if those are good
  /// deletions.
  mutating func violations() -> Set<Int> {
    let after = after
    let saved = Set(saves.values.map { $0.recordID?.recordName ?? "" })
    let gone = closure(of: Set(deletions.values), in: after, sparing: saved)
    cascade = [:]
    for name in gone.subtracting(deletions.values) {
      let targets = (after[name]?.bonds ?? []).filter { $0.kind == .deleteSelf }.map(\.target)
      cascade[name] = gone.intersection(targets)
    }
    let misses = saves.filter { _, record in
      record.bonds.contains { $0.kind != .deleteSelf && after[$0.target] == nil }
    }
    if !misses.isEmpty { return Set(misses.keys) }
    let cyclic = saves.filter { isBelowItself($0.value, after) }
    if !cyclic.isEmpty { return Set(cyclic.keys) }
    let badSaves = saves.filter { _, record in
      record.bonds.contains { gone.contains($0.target) }
    }
    // A save that fails leaves its record as it was, which may go along then.
    guard badSaves.isEmpty else { return Set(badSaves.keys) }
    let badDeletions = deletions.filter { _, name in
      let goesAlong = closure(of: [name], in: after, sparing: saved)
      return after.contains { source, record in
        !gone.contains(source) && !saved.contains(source)
          && record.bonds.contains { $0.kind != .deleteSelf && goesAlong.contains($0.target) }
      }
    }
    return Set(badDeletions.keys)
  }

  /// A save gives its record a new parent that lies below it.
  private func isBelowItself(
    _ record: TidingsV1.Record,
    _ after: [String: TidingsV1.Record]
  ) -> Bool {
    func parent(_ record: TidingsV1.Record?) -> String? {
      record?.bonds.first { $0.kind == .parent }?.target
    }
    let name = record.recordID?.recordName ?? ""
    guard let new = parent(record), new != parent(stored[name]) else { return false }
    var (above, seen): (String?, Set<String>) = (new, [])
    while let current = above, current != name, seen.insert(current).inserted {
      above = parent(after[current])
    }
    return above == name
  }

  /// What goes when some records go, themselves included where they exist.
  private func closure(
    of names: Set<String>,
    in records: [String: TidingsV1.Record],
    sparing saved: Set<String>
  ) -> Set<String> {
    var gone = names.filter { records[$0] != nil }
    while true {
      let more = records.filter { name, record in
        !gone.contains(name) && !saved.contains(name)
          && record.bonds.contains { $0.kind == .deleteSelf && gone.contains($0.target) }
      }
      if more.isEmpty { return gone }
      gone.formUnion(more.keys)
    }
  }
}

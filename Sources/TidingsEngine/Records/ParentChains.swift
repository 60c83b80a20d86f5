internal import TidingsModel

/// The parents above the records of a call: no record may lie below itself.
struct ParentChains {
  /// Most stored records that are looked at for one call, since everybody waits for them.
  static let storedCountMax = 10_000

  private let saves: [ReferencePlan.Save]
  private let saveIndex: [RecordID: Int]
  private let stored: ReferencePlan.Stored
  /// The names of the parents of stored records that were looked at.
  private var known: [RecordID: String?] = [:]
  /// Records that may still be passed, in all rounds together.
  private var stepsLeft = 20 * storedCountMax
  /// By save, what it makes the record's parent; absent for none.
  private let parents: [Int: String]

  init(
    _ saves: [ReferencePlan.Save],
    _ saveIndex: [RecordID: Int],
    _ stored: ReferencePlan.Stored
  ) {
    (self.saves, self.saveIndex, self.stored) = (saves, saveIndex, stored)
    var parents: [Int: String] = [:]
    for (index, save) in saves.enumerated() {
      parents[index] = save.references.first { $0.kind == .parent }?.target
    }
    self.parents = parents
  }

  /// Finds the saves that would put a record below itself.
  ///
  /// A new parent is above the record, so there is a cycle only where the record is found again above it.
  ///
  /// - Parameter alive: The saves that are good so far.
  /// - Returns: By save, why it is refused, and in which words.
  /// - Throws: What `stored` throws.
  mutating func problems(
    ofSaves alive: [Int]
  ) throws -> [(save: Int, problem: ItemError)] {
    let moved = alive.filter { index in
      guard let parent = parents[index] else { return false }
      return !saves[index].old.contains(BindingReference(kind: .parent, target: parent))
    }
    guard !moved.isEmpty else { return [] }
    let living = Set(alive)
    var parentsOfCall: Set<RecordID> = []
    for index in alive {
      if let parent = parents[index] { parentsOfCall.insert(saves[index].recordID.named(parent)) }
    }
    // Above what the call does not save lies no new record, unless the call moves a stored one there.
    let movesStored = moved.contains { saves[$0].exists }
    var problems: [(save: Int, problem: ItemError)] = []
    var walks = Walks()
    for index in moved {
      let save = saves[index]
      guard try parentsOfCall.contains(save.recordID) || (save.exists && hasStoredChild(save))
      else { continue }
      if let problem = try problem(of: index, living, looksAtStored: movesStored, &walks) {
        problems.append((index, problem))
      }
    }
    return problems
  }

  private func hasStoredChild(_ save: ReferencePlan.Save) throws -> Bool {
    try stored.holder(save.recordID) { $0.kind == .parent } != nil
  }

  /// What walks up from several records have found, so that none repeats another.
  private struct Walks {
    /// A walk has passed them, and knows what lies above.
    var passed: Set<RecordID> = []
    /// They lie above themselves.
    var cyclic: Set<RecordID> = []
    /// Too many lie above them.
    var tooDeep: Set<RecordID> = []
  }

  /// Walks up from the parent of a save.
  private mutating func problem(
    of index: Int,
    _ living: Set<Int>,
    looksAtStored: Bool,
    _ walks: inout Walks
  ) throws -> ItemError? {
    let recordID = saves[index].recordID
    var cycle: ItemError { .cycle(of: recordID, under: parents[index]) }
    if parents[index] == recordID.recordName { return .ownParent(of: recordID) }
    if walks.cyclic.contains(recordID) { return cycle }
    var path: [RecordID] = []
    var seen: Set<RecordID> = []
    var next = parents[index].map(recordID.named)
    while let above = next {
      if above == recordID {
        walks.cyclic.formUnion(path)
        walks.passed.formUnion(path)
        return cycle
      }
      if walks.tooDeep.contains(above) { return .tooDeep(recordID, max: Self.storedCountMax) }
      if walks.passed.contains(above) { break }
      guard seen.insert(above).inserted else {
        // A cycle above the record, which it is no part of.
        walks.cyclic.formUnion(path.drop { $0 != above })
        break
      }
      path.append(above)
      stepsLeft -= 1
      guard stepsLeft > 0 else { return .tooDeep(recordID, max: Self.storedCountMax) }
      if let saved = saveIndex[above], living.contains(saved) {
        next = parents[saved].map(recordID.named)
      } else if looksAtStored {
        guard known[above] != nil || known.count < Self.storedCountMax else {
          walks.tooDeep.formUnion(path)
          return .tooDeep(recordID, max: Self.storedCountMax)
        }
        let parent = try known[above] ?? stored.parent(above)
        known[above] = .some(parent)
        next = parent.map(recordID.named)
      } else {
        next = nil
      }
    }
    walks.passed.formUnion(path)
    return nil
  }
}

extension RecordID {
  /// Another record of the same zone.
  fileprivate func named(_ name: String) -> RecordID {
    RecordID(recordName: name, zoneID: zoneID)
  }
}

extension ItemError {
  fileprivate static func ownParent(of recordID: RecordID) -> ItemError {
    ItemError(
      .referenceViolation,
      "record '\(recordID.recordName)' cannot be its own parent: name another record, or none"
    )
  }

  fileprivate static func cycle(of recordID: RecordID, under parent: String?) -> ItemError {
    ItemError(
      .referenceViolation,
      "record '\(recordID.recordName)' cannot have the parent '\(parent ?? "")', which lies below it: "
        + "give that one another parent first, or none"
    )
  }

  fileprivate static func tooDeep(_ recordID: RecordID, max: Int) -> ItemError {
    ItemError(
      .limitExceeded,
      "record '\(recordID.recordName)' cannot be moved: the call would look at more than \(max) records "
        + "above those that it moves: move fewer in one call, or to a place with fewer above it"
    )
  }
}

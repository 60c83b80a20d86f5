internal import TidingsModel

/// What the saves and deletions of a call do to the shares of one zone, decided before anything is
/// written: which records come into shares, change there and leave.
///
/// A record belongs to the share of the nearest record above it, by `parent`, that is shared, or is
/// shared itself; no share is within another.
struct SharingPlan {
  /// What becomes of one record.
  struct Change {
    /// The item's position in the call; `nil`: it goes along, or only its share's name changes.
    var item: Int?
    var name: String
    var recordType: String
    /// It was there.
    var exists: Bool
    /// It will be there.
    var isSaved: Bool
    var oldParent: String?
    var newParent: String?
    /// What the share's own record will say.
    var share: Share?
    /// It is saved, and only what not all participants see differs: its change tag, requests for access.
    var looksAlike = false
    /// What a share says is changed.
    var isManaged = false
  }

  /// A share, that is there or begins with the call.
  enum ShareRef: Hashable {
    case stored(Int64)
    /// By the name of its own record.
    case started(String)
  }

  /// A row to write.
  struct Row {
    var share: ShareRef
    var name: String
    var recordType: String
    var isGone: Bool
  }

  /// What the store says.
  struct Stored {
    /// The share that holds a record now.
    var share: (String) throws -> Int64?
    /// The parent of a record that is there.
    var parent: (String) throws -> String?
    /// The records whose parent is a record, at most so many.
    var children: (String, _ limit: Int) throws -> [String]
    /// The type of a record that is there.
    var recordType: (String) throws -> String?
    /// How many records a share holds.
    var count: (Int64) throws -> Int
  }

  /// Rows of records that leave, then those of the others.
  var rows: [Row] { gone + here }
  /// How many there are.
  var rowCount: Int { gone.count + here.count }
  /// The shares of the rows that are there already.
  var storedShares: Set<Int64> {
    Set(rows.lazy.compactMap { if case .stored(let number) = $0.share { number } else { nil } })
  }
  /// The types of all records that change.
  var recordTypes: Set<String> { Set(changes.lazy.filter { !$0.looksAlike }.map(\.recordType)) }
  /// The names of records that are saved without changes: subscriptions do not fire for them.
  var unseenNames: Set<String> { Set(changes.lazy.filter(\.looksAlike).map(\.name)) }
  /// The names of shares of which only those who manage them see a change.
  var managedNames: Set<String> {
    Set(changes.lazy.filter { $0.looksAlike && $0.isManaged }.map(\.name))
  }
  /// Why items of the call fail, by item.
  private(set) var failures: [Int: ItemError] = [:]
  /// For each change: the share that held the record, and the one that will.
  private(set) var memberships: [String: (old: ShareRef?, new: ShareRef?)] = [:]

  /// How many records more each share will hold.
  private(set) var added: [ShareRef: Int] = [:]

  private let shares: ZoneShares
  private let limits: Limits
  private let stored: Stored
  private let changes: [Change]
  private var byName: [String: Int] = [:]
  private var ended: Set<Int64> = []
  /// The shares that begin, by the records that they share.
  private var started: [String: ShareRef] = [:]
  private var startedNames: Set<String> = []
  /// The items that begin shares.
  private var starters: [String: Int] = [:]
  /// Records that are not in the call may change too: a tree moves, or a share begins or ends.
  private var movesTrees = false
  private var known: [String: ShareRef?] = [:]
  private let budget: SharingBudget
  private var gone: [Row] = []
  private var here: [Row] = []
  private var visited: Set<String> = []

  /// Decides.
  ///
  /// - Parameters:
  ///   - changes: What becomes of the records of the zone, each once.
  ///   - shares: The zone's shares now.
  ///   - limits: How many shares there may be, and what they may hold.
  ///   - budget: How many records may be looked at.
  ///   - stored: What the store says.
  /// - Throws: What `stored` throws.
  init(
    _ changes: [Change],
    _ shares: ZoneShares,
    limits: Limits,
    budget: SharingBudget,
    stored: Stored
  ) throws {
    self.changes = changes
    self.shares = shares
    self.limits = limits
    self.stored = stored
    self.budget = budget
    for (index, change) in changes.enumerated() { byName[change.name] = index }
    try decideShares()
    guard failures.isEmpty, shares.isHierarchical || !started.isEmpty else { return }
    movesTrees =
      !ended.isEmpty || !starters.isEmpty
      || changes.contains { $0.exists && $0.isSaved && $0.oldParent != $0.newParent }
    for change in changes {
      do {
        try decide(change)
      } catch let error as ItemError {
        fail(change, error)
      }
    }
  }

  private mutating func fail(_ change: Change, _ error: ItemError) {
    // A root whose own record is not in the call stands for its share.
    guard let item = change.item ?? starters[change.name] ?? changes.lazy.compactMap(\.item).first,
      failures[item] == nil
    else { return }
    failures[item] = error
  }

  // MARK: Shares

  /// A zone may have many shares: the call looks at those that it is about.
  private mutating func decideShares() throws {
    for change in changes where !change.isSaved {
      guard let entry = shares.byName[change.name] else { continue }
      ended.insert(entry.number)
      // What it takes to end it is known before it is decided whether the call pauses.
      _ = try stored.count(entry.number)
    }
    var count = shares.byName.count
    for change in changes {
      guard let share = change.share, shares.byName[change.name] == nil else { continue }
      startedNames.insert(change.name)
      count += 1
      do {
        try checkStart(share, change, count: count)
        guard !share.isZoneWide else { continue }
        started[share.rootRecordName] = .started(change.name)
        starters[share.rootRecordName] = change.item
      } catch let error as ItemError {
        fail(change, error)
      }
    }
  }

  /// The share of a record that is shared with its descendants, as the call leaves it.
  private func shareOfRoot(_ name: String) -> ShareRef? {
    if let share = started[name] { return share }
    guard !name.isEmpty, let entry = shares.byRoot[name], !ended.contains(entry.number) else {
      return nil
    }
    return .stored(entry.number)
  }

  /// It is the record of a share.
  private func isShare(_ name: String) -> Bool {
    shares.byName[name] != nil || startedNames.contains(name)
  }

  private func checkStart(_ share: Share, _ change: Change, count: Int) throws {
    let (name, root) = (change.name, share.rootRecordName)
    guard count <= limits.sharesPerZoneMax else {
      throw ItemError(
        .limitExceeded,
        "share '\(name)': the zone would have \(count) shares and may have "
          + "\(limits.sharesPerZoneMax): end those that are not needed, or share the whole zone"
      )
    }
    let isMixed = share.isZoneWide ? !started.isEmpty || !shares.isEmpty : hasZoneWide
    guard !isMixed else {
      throw ItemError(
        .serverRejectedRequest,
        share.isZoneWide
          ? "share '\(name)': records of this zone are shared, so the zone cannot be: delete those "
            + "shares first, or share the records of another zone"
          : "share '\(name)': the whole zone is shared, so its records cannot be: add participants to "
            + "'\(Share.zoneWideName)', or keep what is to be shared alone in another zone"
      )
    }
    guard !share.isZoneWide else { return }
    guard shares.byRoot[root] == nil, started[root] == nil else {
      let other = shares.byRoot[root].map { " by '\($0.name)'" } ?? ""
      throw ItemError(
        .alreadyShared,
        "share '\(name)': record '\(root)' is shared already\(other): change that share, or delete it "
          + "in a call before"
      )
    }
    guard try isThere(root) else {
      throw ItemError(
        .referenceViolation,
        "share '\(name)' shares '\(root)', which does not exist: save it first, or in the same call"
      )
    }
  }

  private var hasZoneWide: Bool {
    shares.zoneWide != nil || changes.contains { $0.share?.isZoneWide == true }
  }

  /// The record is there after the call, and can be shared.
  private func isThere(_ name: String) throws -> Bool {
    if let index = byName[name] { return changes[index].isSaved && changes[index].share == nil }
    return try !isShare(name) && stored.recordType(name) != nil
  }

  // MARK: Records

  private mutating func decide(_ change: Change) throws {
    let old = change.exists ? try membership(change.name) : nil
    guard change.isSaved else {
      memberships[change.name] = (old, nil)
      if let old { leave(old, change.name, change.recordType) }
      return
    }
    let new = try newMembership(of: change)
    memberships[change.name] = (old, new)
    try checkNesting(change)
    if old == new {
      if let new { here.append(Row(share: new, change.name, change.recordType)) }
      return
    }
    if let old { leave(old, change.name, change.recordType) }
    if let new { try come(new, change.name, change.recordType) }
    guard change.exists, new != nil || !hasEnded(old) else { return }
    try moveDescendants(of: change, to: new)
  }

  private func membership(_ name: String) throws -> ShareRef? {
    shares.isEmpty ? nil : try stored.share(name).map { .stored($0) }
  }

  private mutating func newMembership(of change: Change) throws -> ShareRef? {
    guard let share = change.share else { return try shareAfter(change.name) }
    guard !share.isZoneWide else { return nil }
    return shares.byName[change.name].map { .stored($0.number) } ?? .started(change.name)
  }

  /// The share that will hold a record which is no share.
  private mutating func shareAfter(_ name: String) throws -> ShareRef? {
    var (path, seen) = ([] as [String], [] as Set<String>)
    var (current, result) = (name as String?, nil as ShareRef?)
    while let name = current {
      if let known = known[name] {
        result = known
        break
      }
      // A cycle without a shared record, or a child of a share's own record, which shares nothing.
      guard seen.insert(name).inserted, !isShare(name) else { break }
      path.append(name)
      if byName[name] == nil { try budget.takeRecord() }
      if let share = shareOfRoot(name) {
        result = share
        break
      }
      let change = byName[name].map { changes[$0] }
      guard movesTrees || change?.exists == false else {
        if change?.isSaved ?? true { result = try membership(name) }
        break
      }
      if let change {
        current = change.isSaved ? change.newParent : nil
      } else {
        current = try stored.parent(name)
      }
    }
    for name in path { known[name] = result }
    return result
  }

  private mutating func checkNesting(_ change: Change) throws {
    guard let own = shareOfRoot(change.name), let parent = change.newParent,
      let other = try shareAfter(parent), other != own
    else { return }
    throw alreadyShared(change.name)
  }

  private func alreadyShared(_ name: String) -> ItemError {
    ItemError(
      .alreadyShared,
      "record '\(name)' is shared, and would be within what another share holds: a record is in one "
        + "share only; delete one of them first"
    )
  }

  /// What is below a record that moves goes with it.
  private mutating func moveDescendants(of change: Change, to new: ShareRef?) throws {
    var pending = [change.name]
    while let parent = pending.popLast() {
      // One more than are left, so that none is skipped.
      for child in try stored.children(parent, budget.recordsLeft + byName.count + 1)
      where byName[child] == nil {
        try budget.takeRecord()
        if let other = shareOfRoot(child) {
          if new != nil, other != new { throw alreadyShared(child) }
          continue
        }
        guard visited.insert(child).inserted else { continue }
        guard visited.count <= limits.sharedRecordsMax else { throw tooMany(change.name) }
        let old = try membership(child)
        guard old != new else { continue }
        let type = try stored.recordType(child) ?? ""
        if let old { leave(old, child, type) }
        if let new { try come(new, child, type) }
        pending.append(child)
      }
    }
  }

  private func hasEnded(_ share: ShareRef?) -> Bool {
    if case .stored(let number)? = share { ended.contains(number) } else { false }
  }

  private mutating func leave(_ share: ShareRef, _ name: String, _ recordType: String) {
    // Nothing remains to be reported of a share that ends.
    if hasEnded(share) { return }
    added[share, default: 0] -= 1
    gone.append(Row(share: share, name, recordType, isGone: true))
  }

  private mutating func come(_ share: ShareRef, _ name: String, _ recordType: String) throws {
    let before: Int =
      if case .stored(let number) = share { try stored.count(number) } else { 0 }
    guard before + added[share, default: 0] < limits.sharedRecordsMax else { throw tooMany(name) }
    added[share, default: 0] += 1
    here.append(Row(share: share, name, recordType))
  }

  private func tooMany(_ name: String) -> ItemError {
    ItemError(
      .limitExceeded,
      "record '\(name)': what is shared with it would be more than \(limits.sharedRecordsMax) records: "
        + "share parts of it, or the whole zone (a share named '\(Share.zoneWideName)')"
    )
  }
}

extension SharingPlan.Row {
  fileprivate init(
    share: SharingPlan.ShareRef,
    _ name: String,
    _ recordType: String,
    isGone: Bool = false
  ) {
    self.init(share: share, name: name, recordType: recordType, isGone: isGone)
  }
}

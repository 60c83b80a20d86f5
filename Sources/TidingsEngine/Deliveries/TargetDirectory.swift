internal import TidingsModel
internal import TidingsSQL

/// Which users have targets, in memory: of all other notifications nothing has to be looked up.
///
/// It is read with the store: a call that waited for a hundred thousand targets would hold up all others.
final class TargetDirectory: TransactionParticipant {
  /// What finding out who gets a notification needs.
  struct Entry {
    let id: Int64
    let inbox: Inbox
    let device: String
    let since: Int64
  }

  private struct ContainerKey: Hashable {
    let container: String
    let environment: Environment
  }

  private let table: TargetTable
  private var entries: [Int64: Entry] = [:]
  private var byInbox: [Inbox: [Int64]] = [:]
  private var byContainer: [ContainerKey: [Int64]] = [:]
  private var isStale = true
  private var isChanged = false

  init(_ table: TargetTable) throws {
    self.table = table
    try refreshIfStale()
  }

  var count: Int {
    get throws {
      try refreshIfStale()
      return entries.count
    }
  }

  func entry(_ id: Int64) throws -> Entry? {
    try refreshIfStale()
    return entries[id]
  }

  /// The targets of a user in a container, by their IDs.
  func targets(of inbox: Inbox) throws -> [Entry] {
    try refreshIfStale()
    return (byInbox[inbox] ?? []).compactMap { entries[$0] }
  }

  /// The targets of all users in a container, by their IDs, behind one.
  func targets(
    in container: String,
    _ environment: Environment,
    after id: Int64
  ) throws -> LazyMapSequence<ArraySlice<Int64>, Entry?> {
    try refreshIfStale()
    let ids = byContainer[ContainerKey(container: container, environment: environment)] ?? []
    return ids[Self.index(after: id, in: ids)...].lazy.map { [entries] in entries[$0] }
  }

  /// The first index of an ID that is greater.
  private static func index(after id: Int64, in ids: [Int64]) -> Int {
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] <= id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Changing, in the open transaction

  func insert(_ target: DeliveryTarget) throws {
    try refreshIfStale()
    isChanged = true
    add(target)
  }

  func remove(_ id: Int64) throws {
    try refreshIfStale()
    guard let entry = entries.removeValue(forKey: id) else { return }
    isChanged = true
    byInbox[entry.inbox]?.removeAll { $0 == id }
    if byInbox[entry.inbox]?.isEmpty == true { byInbox[entry.inbox] = nil }
    let key = ContainerKey(container: entry.inbox.container, environment: entry.inbox.environment)
    if let ids = byContainer[key] {
      let index = Self.index(after: id - 1, in: ids)
      if index < ids.count, ids[index] == id { byContainer[key]?.remove(at: index) }
    }
  }

  // MARK: Transactions

  func didCommit() { isChanged = false }

  func didRollback() {
    guard isChanged else { return }
    (isChanged, isStale) = (false, true)
  }

  func reload() { isStale = true }

  private func refreshIfStale() throws {
    guard isStale else { return }
    entries.removeAll(keepingCapacity: true)
    byInbox.removeAll(keepingCapacity: true)
    byContainer.removeAll(keepingCapacity: true)
    // They come in the order of their IDs.
    try table.readAll { add($0) }
    isStale = false
  }

  private func add(_ target: DeliveryTarget) {
    entries[target.id] = Entry(
      id: target.id,
      inbox: target.inbox,
      device: target.device,
      since: target.since
    )
    Self.insert(target.id, into: &byInbox[target.inbox, default: []])
    let key = ContainerKey(container: target.inbox.container, environment: target.inbox.environment)
    Self.insert(target.id, into: &byContainer[key, default: []])
  }

  private static func insert(_ id: Int64, into ids: inout [Int64]) {
    ids.insert(id, at: index(after: id, in: ids))
  }
}

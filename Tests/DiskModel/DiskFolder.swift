/// A folder: which of its names are durable, and how they changed since.
final class DiskFolder {
  /// What a name stands for.
  enum Node {
    case file(DiskFile)
    case folder(DiskFolder)
  }

  /// Names that change together; `nil`: the name goes.
  private struct Change {
    let number: Int
    let names: [(String, Node?)]
    /// A sync of it failed.
    var isDoubtful = false
  }

  /// As programs see it.
  private(set) var entries: [String: Node]
  private var durable: [String: Node]
  private var changes: [Change] = []

  /// A folder that is durable as it is.
  init(_ entries: [String: Node] = [:]) { (self.entries, durable) = (entries, entries) }

  /// A sync of it failed, or of a folder in it: some names may never become durable.
  var hasDoubtfulNames: Bool {
    if changes.contains(where: \.isDoubtful) { return true }
    return entries.values.contains { node in
      if case .folder(let folder) = node { folder.hasDoubtfulNames } else { false }
    }
  }

  func change(_ names: [(String, Node?)], number: Int) {
    for (name, node) in names { entries[name] = node }
    changes.append(Change(number: number, names: names))
  }

  func sync(hasFailed: Bool) {
    if hasFailed {
      for index in changes.indices { changes[index].isDoubtful = true }
      return
    }
    for change in changes where !change.isDoubtful {
      for (name, node) in change.names { durable[name] = node }
    }
    changes.removeAll { !$0.isDoubtful }
  }

  /// What a power loss leaves.
  func entries(after loss: inout PowerLoss) -> [String: Node] {
    var names = durable
    for change in changes where loss.keeps(change.number) {
      for (name, node) in change.names { names[name] = node }
    }
    return names
  }
}

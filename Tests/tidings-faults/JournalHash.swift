internal import CFaultDisk
internal import DiskModel

/// What happened on a disk, as one number: two runs of a seed have the same.
struct JournalHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
  /// In the order in which files were opened: the system's numbers for them are any.
  private var nodes: [UInt64: Int] = [:]
  private var nodeCount = 0

  /// Adds what happened in a life.
  mutating func add(_ entries: [DiskJournal.Entry]) {
    (nodes, nodeCount) = ([:], 0)
    for entry in entries { add(entry) }
  }

  private mutating func add(_ entry: DiskJournal.Entry) {
    switch entry {
    case .opened(let path, let node, let isCreated, let isEmptied):
      // A number may have been another file's before.
      if isCreated || nodes[node] == nil {
        nodeCount += 1
        nodes[node] = nodeCount
      }
      add(1, number(node), isCreated ? 1 : 0, isEmptied ? 1 : 0)
      add(path)
    case .written(let node, let offset, let bytes):
      add(2, number(node), offset, bytes.count)
      bytes.withUnsafeBytes { value = fault_disk_hash(value, $0.baseAddress, $0.count) }
    case .truncated(let node, let size): add(3, number(node), size)
    case .synced(let node, let hasFailed): add(4, number(node), hasFailed ? 1 : 0)
    case .renamed(let path, let other):
      add(5)
      add(path)
      add(other)
    case .linked(let path, let other):
      add(6)
      add(path)
      add(other)
    case .unlinked(let path):
      add(7)
      add(path)
    case .madeFolder(let path):
      add(8)
      add(path)
    case .removedFolder(let path):
      add(9)
      add(path)
    case .mark(let mark): add(10, Int(mark))
    }
  }

  private func number(_ node: UInt64) -> Int { nodes[node] ?? 0 }

  private mutating func add(_ numbers: Int...) {
    numbers.withUnsafeBytes { value = fault_disk_hash(value, $0.baseAddress, $0.count) }
  }

  private mutating func add(_ text: String) {
    var text = text
    add(text.utf8.count)
    text.withUTF8 { value = fault_disk_hash(value, $0.baseAddress, $0.count) }
  }
}

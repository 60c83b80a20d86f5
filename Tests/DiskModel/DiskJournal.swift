/// What happened to the files below a folder, in order, as `fault_disk.c` wrote it.
public struct DiskJournal: Sendable {
  /// One change, sync or mark.
  public enum Entry: Sendable {
    /// A file or folder was opened; a file perhaps created or emptied.
    case opened(path: String, node: UInt64, isCreated: Bool, isEmptied: Bool)
    case written(node: UInt64, offset: Int, bytes: [UInt8])
    case truncated(node: UInt64, size: Int)
    /// What was written to a file, or the names in a folder, are durable, unless the sync failed.
    case synced(node: UInt64, hasFailed: Bool)
    case renamed(path: String, to: String)
    case linked(path: String, to: String)
    case unlinked(path: String)
    case madeFolder(path: String)
    case removedFolder(path: String)
    /// Something else happened here, for example an acknowledgement.
    case mark(Int64)
  }

  /// Oldest first.
  public private(set) var entries: [Entry] = []
  /// Where each entry ends in the file.
  public private(set) var ends: [Int] = []
  private let rootBytes: Int

  /// No entries yet.
  ///
  /// - Parameter root: The folder, whose path begins all others.
  public init(root: String) { rootBytes = root.utf8.count }

  /// Adds the entries of a file.
  ///
  /// - Parameter bytes: From where the last call ended.
  /// - Returns: How many bytes were whole entries.
  @discardableResult
  public mutating func append(_ bytes: [UInt8]) -> Int {
    let start = ends.last ?? 0
    var offset = 0
    while let (entry, count) = entry(bytes[offset...]) {
      offset += count
      guard let entry else { continue }
      entries.append(entry)
      ends.append(start + offset)
    }
    return offset
  }

  /// How many entries are marks of things that happened before a place in the file, or are before the last of them.
  ///
  /// - Parameter offset: How long the file was when something was known to have happened.
  /// - Returns: The number of entries up to the last mark before it.
  public func lastMark(before offset: Int) -> Int {
    for index in entries.indices.reversed() where ends[index] <= offset {
      if case .mark = entries[index] { return index + 1 }
    }
    return 0
  }

  private static let headBytes = 32

  /// - Returns: `nil`: there is no whole entry.
  private func entry(_ bytes: ArraySlice<UInt8>) -> (Entry?, count: Int)? {
    guard bytes.count >= Self.headBytes else { return nil }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      let start = bytes.startIndex + offset
      return bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let (pathCount, contentCount) = (Int(number(4, 4)), Int(number(8, 4)))
    let count = Self.headBytes + pathCount + contentCount
    guard bytes.count >= count else { return nil }
    let pathStart = bytes.startIndex + Self.headBytes
    let content = bytes[(pathStart + pathCount)..<(bytes.startIndex + count)]
    let path = relative(bytes[pathStart..<pathStart + pathCount])
    let (node, value) = (number(16, 8), Int64(bitPattern: number(24, 8)))
    let entry: Entry? =
      switch number(0, 4) {
      case 1:
        .opened(
          path: path,
          node: node,
          isCreated: value == 1 || value == 3,
          isEmptied: value == 2 || value == 3
        )
      case 2: .written(node: node, offset: Int(value), bytes: Array(content))
      case 3: .truncated(node: node, size: Int(value))
      case 4: .synced(node: node, hasFailed: value != 0)
      case 5: .renamed(path: path, to: relative(content))
      case 6: .linked(path: path, to: relative(content))
      case 7: .unlinked(path: path)
      case 8: .madeFolder(path: path)
      case 9: .removedFolder(path: path)
      case 10: .mark(value)
      default: nil
      }
    return (entry, count)
  }

  private func relative(_ path: ArraySlice<UInt8>) -> String {
    String(decoding: path.dropFirst(rootBytes), as: UTF8.self)
  }
}

extension DiskJournal.Entry: CustomStringConvertible {
  /// One line, without content.
  public var description: String {
    switch self {
    case .opened(let path, let node, let isCreated, let isEmptied):
      "open \(path) as \(node)" + (isCreated ? ", created" : "") + (isEmptied ? ", emptied" : "")
    case .written(let node, let offset, let bytes): "write \(node) \(offset)+\(bytes.count)"
    case .truncated(let node, let size): "truncate \(node) to \(size)"
    case .synced(let node, let hasFailed): "sync \(node)" + (hasFailed ? ", failed" : "")
    case .renamed(let path, let other): "rename \(path) to \(other)"
    case .linked(let path, let other): "link \(path) as \(other)"
    case .unlinked(let path): "unlink \(path)"
    case .madeFolder(let path): "make folder \(path)"
    case .removedFolder(let path): "remove folder \(path)"
    case .mark(let number): "mark \(number)"
    }
  }
}

/// A file: what of it is durable, and what was written since.
final class DiskFile {
  /// A change that a power loss may undo.
  enum Change {
    case write(offset: Int, [UInt8])
    case truncation(Int)
  }

  private enum Standing {
    /// Not synced yet.
    case pending
    /// A sync of it failed: the system forgot it, and no later sync makes it durable.
    case doubtful
    /// Durable, and stands behind something doubtful.
    case durable
  }

  private struct Entry {
    let number: Int
    let change: Change
    var standing: Standing
  }

  private var durable: [UInt8]
  private var entries: [Entry] = []

  init(durable: [UInt8] = []) { self.durable = durable }

  func add(_ change: Change, number: Int) {
    entries.append(Entry(number: number, change: change, standing: .pending))
  }

  func sync(hasFailed: Bool) {
    for index in entries.indices where entries[index].standing == .pending {
      entries[index].standing = hasFailed ? .doubtful : .durable
    }
    let first = entries.firstIndex { $0.standing != .durable } ?? entries.count
    for entry in entries[..<first] { entry.change.apply(to: &durable) }
    entries.removeFirst(first)
  }

  /// The content as programs see it.
  var content: [UInt8] {
    var bytes = durable
    for entry in entries { entry.change.apply(to: &bytes) }
    return bytes
  }

  /// What a power loss leaves.
  func content(after loss: inout PowerLoss) -> [UInt8] {
    var bytes = durable
    for entry in entries {
      guard entry.standing != .durable else {
        entry.change.apply(to: &bytes)
        continue
      }
      guard loss.keeps(entry.number) else { continue }
      switch entry.change {
      case .truncation: entry.change.apply(to: &bytes)
      case .write(let offset, let written):
        for range in loss.keptParts(of: written.count, at: offset, number: entry.number) {
          Change.write(offset: offset + range.lowerBound, Array(written[range])).apply(to: &bytes)
        }
      }
    }
    return bytes
  }
}

extension DiskFile.Change {
  fileprivate func apply(to bytes: inout [UInt8]) {
    switch self {
    case .truncation(let size): resize(&bytes, to: size)
    case .write(let offset, let written):
      let end = offset + written.count
      if bytes.count < end { resize(&bytes, to: end) }
      bytes.replaceSubrange(offset..<end, with: written)
    }
  }

  private func resize(_ bytes: inout [UInt8], to size: Int) {
    if bytes.count > size {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }
}

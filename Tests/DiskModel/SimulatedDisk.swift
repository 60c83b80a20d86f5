internal import Glibc

/// A disk as far as a journal has come: what programs see, and what a power loss may leave of it.
///
/// It promises no more than POSIX does: a sync of a file makes its content durable, and not its name, which a sync of
/// its folder does; what was not synced may reach the disk in any order, or in parts, or not at all. What a failed
/// sync leaves is never made durable by a later one.
public final class SimulatedDisk {
  private let root: DiskFolder
  private var nodes: [UInt64: DiskFolder.Node] = [:]
  /// How many entries were applied.
  public private(set) var count = 0

  /// An empty disk.
  public init() { root = DiskFolder() }

  /// A disk with the files of a folder, all of them durable.
  ///
  /// - Throws: `DiskError`.
  public init(copying path: String) throws { root = try Self.folder(path) }

  private static func folder(_ path: String) throws -> DiskFolder {
    var entries: [String: DiskFolder.Node] = [:]
    for name in try names(path) {
      let inner = path + "/" + name
      var status = stat()
      guard stat(inner, &status) == 0 else { throw DiskError("look at", inner) }
      entries[name] =
        status.st_mode & S_IFMT == S_IFDIR
        ? .folder(try folder(inner)) : .file(DiskFile(durable: try bytes(inner)))
    }
    return DiskFolder(entries)
  }

  // MARK: Entries

  /// Does what an entry of the journal says.
  public func apply(_ entry: DiskJournal.Entry) {
    count += 1
    switch entry {
    case .opened(let path, let node, let isCreated, let isEmptied):
      if isCreated { put(.file(DiskFile()), at: path) }
      nodes[node] = self.node(path)
      if isEmptied, !isCreated { file(node)?.add(.truncation(0), number: count) }
    case .written(let node, let offset, let bytes):
      file(node)?.add(.write(offset: offset, bytes), number: count)
    case .truncated(let node, let size): file(node)?.add(.truncation(size), number: count)
    case .synced(let node, let hasFailed):
      switch nodes[node] {
      case .file(let file)?: file.sync(hasFailed: hasFailed)
      case .folder(let folder)?: folder.sync(hasFailed: hasFailed)
      case nil: break
      }
    case .renamed(let path, let other): rename(path, to: other)
    case .linked(let path, let other): if let node = node(path) { put(node, at: other) }
    case .unlinked(let path), .removedFolder(let path): put(nil, at: path)
    case .madeFolder(let path): put(.folder(DiskFolder()), at: path)
    case .mark: break
    }
  }

  private func file(_ node: UInt64) -> DiskFile? {
    if case .file(let file)? = nodes[node] { file } else { nil }
  }

  private func rename(_ path: String, to other: String) {
    guard let node = node(path), let (from, name) = parent(path), let (to, new) = parent(other)
    else { return }
    if from === to {
      from.change([(name, nil), (new, node)], number: count)
    } else {
      // Two folders are two changes.
      to.change([(new, node)], number: count)
      from.change([(name, nil)], number: count)
    }
  }

  private func put(_ node: DiskFolder.Node?, at path: String) {
    guard let (folder, name) = parent(path) else { return }
    folder.change([(name, node)], number: count)
  }

  private func parent(_ path: String) -> (DiskFolder, name: String)? {
    var words = Self.words(path)
    guard let name = words.popLast(), case .folder(let folder)? = node(words) else { return nil }
    return (folder, name)
  }

  private func node(_ path: String) -> DiskFolder.Node? { node(Self.words(path)) }

  private func node(_ words: [String]) -> DiskFolder.Node? {
    words.reduce(.folder(root)) { node, word in
      if case .folder(let folder)? = node { folder.entries[word] } else { nil }
    }
  }

  /// The names on the way to a path, without `.` and `..`.
  private static func words(_ path: String) -> [String] {
    path.split(separator: "/").reduce(into: []) { words, word in
      switch word {
      case ".": break
      // Above the root nothing is known, and nothing has that name.
      case "..": if words.popLast() == nil { words.append("..") }
      default: words.append(String(word))
      }
    }
  }

  // MARK: What is left

  /// Writes what a power loss leaves into a new folder.
  ///
  /// - Parameters:
  ///   - loss: What is kept of what is not durable.
  ///   - path: The folder; made.
  /// - Throws: `DiskError`.
  public func write(after loss: PowerLoss, to path: String) throws {
    var loss = loss
    try Self.write(root, &loss, path)
  }

  /// A sync of a folder failed.
  public var hasDoubtfulNames: Bool { root.hasDoubtfulNames }

  /// Writes what programs see into a new folder, for a process that follows one that ended: this disk goes on with what
  /// happens there, and what failed syncs left stays doubtful, although nothing shows it.
  ///
  /// - Parameter path: The folder; made.
  /// - Throws: `DiskError`.
  public func write(to path: String) throws { try Self.write(root, path) }

  private static func write(_ folder: DiskFolder, _ path: String) throws {
    guard mkdir(path, 0o700) == 0 else { throw DiskError("create", path) }
    for (name, node) in folder.entries.sorted(by: { $0.key < $1.key }) {
      switch node {
      case .folder(let inner): try write(inner, path + "/" + name)
      // The first process that opens it empties it.
      case .file where name.hasSuffix("-shm"): break
      case .file(let file): try write(file.content, path + "/" + name)
      }
    }
  }

  private static func write(
    _ folder: DiskFolder,
    _ loss: inout PowerLoss,
    _ path: String
  ) throws {
    guard mkdir(path, 0o700) == 0 else { throw DiskError("create", path) }
    // Sorted: the same seed keeps the same.
    for (name, node) in folder.entries(after: &loss).sorted(by: { $0.key < $1.key }) {
      switch node {
      case .folder(let inner): try write(inner, &loss, path + "/" + name)
      // Shared memory of the processes that ended.
      case .file where name.hasSuffix("-shm"): break
      case .file(let file): try write(file.content(after: &loss), path + "/" + name)
      }
    }
  }

  // MARK: Files

  private static func names(_ path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw DiskError("list", path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw DiskError("open", path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws {
    guard let file = fopen(path, "wb") else { throw DiskError("create", path) }
    defer { fclose(file) }
    guard chmod(path, 0o600) == 0, fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw DiskError("write", path)
    }
  }
}

/// What the real disk refused.
public struct DiskError: Error, CustomStringConvertible {
  public let description: String

  init(_ operation: String, _ path: String) {
    description = "cannot \(operation) '\(path)': \(String(cString: strerror(errno)))"
  }
}

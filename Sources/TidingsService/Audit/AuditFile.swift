internal import TidingsAudit
internal import TidingsFiles

/// The files of the audit log of one kind: one that grows, and the ones before it; each line is tied to the
/// line before.
struct AuditFile: AuditRecords {
  /// A file of that size is closed, and the next one begun.
  static let bytesMax: UInt64 = 16 << 20
  /// What is read of the last files at a start.
  private static let tailBytes = 512 << 10

  /// Whose entries they have.
  let kind: AuditKind
  /// The last line; `none`: there is none with a place in the chain.
  private(set) var head = ChainHead.none
  /// There are lines from before there was a chain, and none behind them.
  private(set) var isUnchained = false

  private let folder: String
  private let bytesMax: UInt64
  private var file: File?
  private var size: UInt64 = 0
  /// The checksum of what a crash left of a line; the next one says so.
  private var torn: [UInt8]?
  /// The file's name is on the disk.
  private var isNameDurable = false
  /// What is behind this place is not whole or not durable, and is to be cut off before anything is added.
  private var doubtfulFrom: UInt64?

  /// The files in a folder.
  ///
  /// - Throws: `FileError` if one is there and cannot be read: the next line would begin another chain.
  init(
    _ kind: AuditKind,
    folder: String,
    bytesMax: UInt64 = Self.bytesMax
  ) throws(FileError) {
    self.kind = kind
    self.folder = folder
    self.bytesMax = bytesMax
    // The newest file may have been renamed and not begun again.
    for number in 0...1 where !head.isLine {
      let bytes = try tail(path(number))
      if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) { takeHead(bytes[...end]) }
    }
  }

  /// Adds entries, and waits until they are on the disk.
  ///
  /// - Returns: The lines that were written.
  /// - Throws: `FileError`; the next call tries again, without these entries.
  mutating func append(_ entries: [AuditEntry]) throws(FileError) -> [[UInt8]] {
    var file = try open()
    var (next, link) = (head, ChainLink(after: head, torn: torn))
    var lines: [[UInt8]] = []
    for entry in entries {
      let line = entry.line(link)
      next = ChainHead(number: link.number, line: line[...])
      link = ChainLink(after: next)
      lines.append(line)
    }
    try write(lines.flatMap(\.self), &file)
    try makeDurable(file, lines.reduce(0) { $0 + UInt64($1.count) })
    (head, torn, isUnchained) = (next, nil, false)
    return lines
  }

  /// Adds lines as they are, with their ends, to files that nobody else adds to.
  ///
  /// - Throws: `FileError`.
  mutating func append(bytes: [UInt8]) throws(FileError) {
    var file = try open()
    try write(bytes, &file)
    try makeDurable(file, UInt64(bytes.count))
  }

  /// Waits until what was added is on the disk, and the file's name.
  ///
  /// What a failed sync leaves is cut off again: the system forgets what it could not write, and lines behind it would
  /// be tied to some that a power loss removes.
  private mutating func makeDurable(_ file: File, _ added: UInt64) throws(FileError) {
    do throws(FileError) {
      try file.synchronize()
      if !isNameDurable { try Folder.synchronize(folder) }
      isNameDurable = true
    } catch {
      size -= added
      doubtfulFrom = size
      try? cutDoubtful(file)
      throw error
    }
  }

  private mutating func cutDoubtful(_ file: File) throws(FileError) {
    guard let end = doubtfulFrom else { return }
    if end == 0, !isNameDurable {
      // Its name is as doubtful: the next one is another file.
      try Folder.remove(path(0))
      self.file = nil
    } else {
      try file.truncate(to: end)
      size = end
    }
    doubtfulFrom = nil
  }

  private mutating func write(_ bytes: [UInt8], _ file: inout File) throws(FileError) {
    if size > 0, size + UInt64(bytes.count) > bytesMax {
      self.file = nil
      try rotate()
      file = try open()
    }
    do {
      try file.write(bytes[...], at: size)
    } catch {
      // Neither half a line nor whole ones, to which the next is not tied, may stand before it.
      doubtfulFrom = size
      try? cutDoubtful(file)
      throw error
    }
    size += UInt64(bytes.count)
  }

  /// The newest entries in the files, oldest first; unreadable lines are skipped.
  func newest(max: Int) -> [AuditEntry] {
    var entries: [AuditEntry] = []
    for number in 0...1 where entries.count < max {
      // The first line may be cut: then it is no entry.
      entries =
        ((try? tail(path(number))) ?? []).split(separator: UInt8(ascii: "\n"))
        .compactMap { AuditEntry(line: Array($0), kind: kind) } + entries
    }
    return entries.suffix(max)
  }

  /// Does nothing: the oldest file is removed when the next one is begun.
  func removeOldest() {}

  private func path(_ number: Int) -> String { folder + "/" + kind.fileName(number) }

  private func tail(_ path: String) throws(FileError) -> [UInt8] {
    let file: File
    do throws(FileError) {
      file = try File(path: path, .read)
    } catch  where error.isMissing {
      return []
    }
    guard try file.isRegular else { return [] }
    let size = try file.size
    let offset = size > UInt64(Self.tailBytes) ? size - UInt64(Self.tailBytes) : 0
    return try file.read(at: offset, count: Int(size - offset))
  }

  /// Finds the last line that is whole, and what crashes left behind it.
  ///
  /// - Parameter bytes: The end of a file, with the end of its last line.
  private mutating func takeHead(_ bytes: ArraySlice<UInt8>) {
    var end = bytes.endIndex
    while end > bytes.startIndex {
      let before = bytes[..<(end - 1)].lastIndex(of: UInt8(ascii: "\n"))
      let line = bytes[(before.map { $0 + 1 } ?? bytes.startIndex)..<end]
      if AuditEntry(line: Array(line), kind: kind) != nil {
        head = ChainHead(number: ChainLink(of: line)?.number ?? 0, line: line)
        isUnchained = head.number == 0
        break
      }
      end = line.startIndex
    }
    torn = end < bytes.endIndex ? ChainHead.hash(of: bytes[end...]) : nil
  }

  private mutating func open() throws(FileError) -> File {
    // Whoever removed or moved the file must not keep what follows from being found.
    if let file, try file.isNamed(path(0)) {
      try cutDoubtful(file)
      if doubtfulFrom == nil, self.file != nil { return file }
    }
    (isNameDurable, doubtfulFrom) = (false, nil)
    let opened = try File(path: path(0), .create)
    guard try opened.isRegular else { throw FileError.notRegular("write", path(0)) }
    size = try opened.size
    let end = try opened.read(at: size - min(size, UInt64(Self.tailBytes)), count: Self.tailBytes)
    if let last = end.last, last != UInt8(ascii: "\n") {
      // A line that a crash has cut must not spoil the next one.
      try opened.write([UInt8(ascii: "\n")], at: size)
      size += 1
      takeHead(end[...] + [UInt8(ascii: "\n")])
    }
    file = opened
    return opened
  }

  /// Renames the files up to the first number that is free; the oldest of all goes.
  private func rotate() throws(FileError) {
    var last = 1
    while last < AuditKind.oldFilesMax, try Folder.status(path(last)) != nil { last += 1 }
    for number in (0..<last).reversed() {
      try Folder.rename(path(number), to: path(number + 1))
      // Otherwise a power loss may keep the next renaming alone, which replaces this file.
      try Folder.synchronize(folder)
    }
  }
}

extension ChainHead {
  /// There is a line, with or without a place in the chain.
  fileprivate var isLine: Bool { self != .none }
}

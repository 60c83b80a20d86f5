internal import TidingsFiles

/// The files of the audit log: one that grows, and the ones before it.
struct AuditFile {
  /// A file of that size is closed, and the next one begun.
  static let bytesMax: UInt64 = 16 << 20
  /// Files that are kept besides the one that grows.
  static let oldFilesMax = 9
  /// What is read of the last files at a start.
  private static let tailBytes = 512 << 10

  private let folder: String
  private let bytesMax: UInt64
  private var file: File?
  private var size: UInt64 = 0

  /// The files in a folder.
  init(folder: String, bytesMax: UInt64 = Self.bytesMax) {
    self.folder = folder
    self.bytesMax = bytesMax
  }

  /// Adds lines, and waits until they are on the disk.
  ///
  /// - Throws: `FileError`; the next call tries again, without these lines.
  mutating func append(_ lines: [UInt8]) throws(FileError) {
    var file = try open()
    if size > 0, size + UInt64(lines.count) > bytesMax {
      self.file = nil
      try rotate()
      file = try open()
    }
    try file.write(lines[...], at: size)
    size += UInt64(lines.count)
    try file.synchronize()
  }

  /// The newest entries in the files, oldest first; what cannot be read is passed over.
  func newest(max: Int) -> [AuditEntry] {
    var entries: [AuditEntry] = []
    for number in 0...1 where entries.count < max {
      entries = tail(path(number)) + entries
    }
    return entries.suffix(max)
  }

  private func path(_ number: Int) -> String {
    number == 0 ? folder + "/audit.log" : folder + "/audit.\(number).log"
  }

  private func tail(_ path: String) -> [AuditEntry] {
    guard let file = try? File(path: path, .read), (try? file.isRegular) == true,
      let size = try? file.size
    else {
      return []
    }
    let offset = size > UInt64(Self.tailBytes) ? size - UInt64(Self.tailBytes) : 0
    guard let bytes = try? file.read(at: offset, count: Int(size - offset)) else { return [] }
    // The first line may be cut: then it is no entry.
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { AuditEntry(line: Array($0)) }
  }

  private mutating func open() throws(FileError) -> File {
    if let file { return file }
    let opened = try File(path: path(0), .create)
    size = try opened.size
    // A line that a crash has cut must not spoil the next one.
    if size > 0, try opened.read(at: size - 1, count: 1) != [UInt8(ascii: "\n")] {
      try opened.write([UInt8(ascii: "\n")], at: size)
      size += 1
    }
    file = opened
    return opened
  }

  private func rotate() throws(FileError) {
    try Folder.remove(path(Self.oldFilesMax))
    for number in (0..<Self.oldFilesMax).reversed() where try Folder.status(path(number)) != nil {
      try Folder.rename(path(number), to: path(number + 1))
    }
  }
}

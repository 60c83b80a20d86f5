internal import Glibc
internal import TidingsFiles

/// The files of the audit log of one kind in a folder, to be checked.
///
/// They are opened at once and read afterwards, as far as they went then: a server that writes them
/// meanwhile does not disturb it.
public struct AuditVerification: Sendable {
  private struct OpenFile {
    let file: File
    let name: String
    let size: UInt64
  }

  /// Bytes that are read at once.
  private static let pieceBytes = 256 << 10
  /// A longer line is none of rpcd's.
  static let lineBytesMax = 1 << 20
  /// How often the files are opened again because they were renamed meanwhile.
  private static let triesMax = 10

  /// Whose files they are.
  public let kind: AuditKind
  private let files: [OpenFile]

  /// Opens the files.
  ///
  /// - Throws: When one cannot be opened, with its path.
  public init(_ kind: AuditKind, folder: String) throws {
    self.kind = kind
    for _ in 0..<Self.triesMax {
      let files = try Self.open(kind, folder)
      // A file that has another number now was renamed in between.
      if try files.allSatisfy({ try $0.file.isNamed(folder + "/" + $0.name) }) {
        self.files = files
        return
      }
    }
    throw FileError.changing(folder)
  }

  private static func open(_ kind: AuditKind, _ folder: String) throws(FileError) -> [OpenFile] {
    var files: [OpenFile] = []
    for number in (0...AuditKind.oldFilesMax).reversed() {
      let name = kind.fileName(number)
      do throws(FileError) {
        let file = try File(path: folder + "/" + name, .read)
        guard try file.isRegular else { throw FileError.notRegular("read", folder + "/" + name) }
        files.append(OpenFile(file: file, name: name, size: try file.size))
      } catch  where error.isMissing {
        continue
      }
    }
    return files
  }

  /// Reads the files.
  ///
  /// - Parameter kept: Heads that were kept elsewhere.
  /// - Returns: What was found.
  /// - Throws: When a file cannot be read.
  public func check(kept: [ChainHead] = []) throws -> ChainCheck {
    var check = ChainCheck(kept: kept)
    var incomplete: String?
    for file in files {
      let (rows, rest) = try read(file) { line, row in check.add(line, file: file.name, row: row) }
      guard rest <= Self.lineBytesMax else {
        check.report("\(file.name), line \(rows + 1): it is longer than any line of rpcd")
        continue
      }
      guard rest > 0 else { continue }
      if file.name == kind.fileName(0) {
        incomplete = "\(file.name), line \(rows + 1)"
      } else {
        check.addCut(file: file.name, row: rows + 1)
      }
    }
    check.finish(incomplete: incomplete)
    return check
  }

  /// Reads all lines, oldest first, with their ends; what comes after the last line feed of a file is none.
  ///
  /// - Throws: When a file cannot be read; what `body` throws.
  public func forEachLine(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    for file in files {
      let (rows, rest) = try read(file) { line, _ in try body(line) }
      guard rest <= Self.lineBytesMax else {
        throw FileError.longLine("\(file.name), line \(rows + 1)")
      }
    }
  }

  /// Reads the lines of a file, up to one that is too long; returns how many there are, and the bytes behind the last.
  private func read(
    _ file: OpenFile,
    _ body: (ArraySlice<UInt8>, _ row: Int) throws -> Void
  ) throws -> (Int, Int) {
    var (offset, row) = (UInt64(0), 0)
    var pending: [UInt8] = []
    while offset < file.size {
      let count = Int(min(UInt64(Self.pieceBytes), file.size - offset))
      let piece = try file.file.read(at: offset, count: count)
      if piece.isEmpty { break }
      offset += UInt64(piece.count)
      pending += piece
      var rest = pending[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        row += 1
        try body(rest[...end], row)
        rest = rest[(end + 1)...]
      }
      pending = Array(rest)
      if pending.count > Self.lineBytesMax { break }
    }
    return (row, pending.count)
  }
}

extension FileError {
  /// A line is none of rpcd's.
  fileprivate static func longLine(_ location: String) -> Self {
    FileError("read", location, code: EINVAL, reason: "it is longer than any line of rpcd")
  }

  /// The files were renamed each time that they were opened.
  fileprivate static func changing(_ path: String) -> Self {
    FileError(
      "open",
      path,
      code: EBUSY,
      reason: "the files of the audit log are renamed all the time"
    )
  }
}

internal import TidingsEngine
internal import TidingsFiles

/// Reads the files of all assets that rows name, in the order of their checksums.
final class AssetWalk {
  /// What comes next.
  enum Step {
    /// The pieces of this asset follow.
    case begin(AssetInventory.Row)
    /// The next bytes.
    case piece([UInt8])
    /// The asset is read; what is wrong with its file, if anything.
    case end(AssetInventory.Row, problem: String?)
  }

  /// The asset at hand.
  private struct Open {
    let row: AssetInventory.Row
    let file: File?
    var problem: String?
    var hash = SHA256()
    var offset: UInt64 = 0
  }

  /// Bytes of one piece.
  private static let pieceBytes = 128 << 10

  private let inventory: AssetInventory
  private let folder: AssetFolder
  private var rows: ArraySlice<AssetInventory.Row> = []
  private var last: [UInt8] = []
  private var open: Open?

  init(_ inventory: AssetInventory, in folder: AssetFolder) {
    self.inventory = inventory
    self.folder = folder
  }

  /// The next step; `nil` when all assets are read.
  ///
  /// - Throws: `SQLError`; problems with files are reported in the steps.
  func next() throws -> Step? {
    guard let asset = open else {
      if rows.isEmpty { rows = try inventory.page(after: last)[...] }
      guard let row = rows.popFirst() else { return nil }
      last = row.checksum
      open = begin(row)
      return .begin(row)
    }
    if asset.problem == nil, asset.offset < asset.row.size, let piece = readPiece() {
      return .piece(piece)
    }
    guard var ended = open else { return nil }
    open = nil
    if ended.problem == nil, ended.hash.checksum() != ended.row.checksum {
      ended.problem = "its content is another one"
    }
    return .end(ended.row, problem: ended.problem)
  }

  private func begin(_ row: AssetInventory.Row) -> Open {
    do throws(FileError) {
      let file = try File(path: folder.filePath(row.checksum), .read)
      let size = try file.size
      let problem = size == row.size ? nil : "its file has \(size) bytes instead of \(row.size)"
      return Open(row: row, file: file, problem: problem)
    } catch {
      return Open(row: row, file: nil, problem: Self.problem(error))
    }
  }

  /// The next bytes; `nil`: they cannot be read.
  private func readPiece() -> [UInt8]? {
    guard var asset = open, let file = asset.file else { return nil }
    defer { open = asset }
    do throws(FileError) {
      let count = Int(min(UInt64(Self.pieceBytes), asset.row.size - asset.offset))
      let piece = try file.read(at: asset.offset, count: count)
      guard piece.count == count else {
        asset.problem = "its file became shorter"
        return nil
      }
      asset.hash.update(piece[...])
      asset.offset += UInt64(count)
      return piece
    } catch {
      asset.problem = Self.problem(error)
      return nil
    }
  }

  /// Without the path, which is no business of callers.
  private static func problem(_ error: FileError) -> String {
    error.isMissing ? "its file is missing" : "its file cannot be read"
  }
}

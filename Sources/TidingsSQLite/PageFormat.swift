internal import CSQLite
internal import CStoreVFS
internal import TidingsSQL

/// Whether the pages of a database file end with checksums.
enum PageFormat: Hashable, Sendable {
  /// They do.
  case sealed
  /// An earlier version wrote it.
  case unsealed
  /// The first page is neither.
  case damaged

  /// What the first page of a file says.
  init(firstPage page: [UInt8]) {
    let reservedBytesPosition = 20
    if PageChecksum.isValid(page[...]), page[reservedBytesPosition] == UInt8(PageChecksum.bytes) {
      self = .sealed
      return
    }
    // A damaged byte must not turn the checksums off.
    var other = page
    other[reservedBytesPosition] = UInt8(PageChecksum.bytes)
    let isUnsealed = page[reservedBytesPosition] == 0 && !PageChecksum.isValid(other[...])
    self = isUnsealed ? .unsealed : .damaged
  }
}

extension SQLiteConnection {
  /// The pages that every store has.
  private static let pageBytes = 4096

  /// The format of the file's pages; `nil` for a file without pages, or one with a header that
  /// SQLite refuses itself.
  func pageFormat() throws(SQLError) -> PageFormat? {
    guard let file else { return nil }
    var page = [UInt8](repeating: 0, count: Self.pageBytes)
    switch tidings_vfs_read(file, &page, CInt(page.count), 0) {
    case SQLITE_OK: return PageFormat(firstPage: page)
    case tidings_sqlite_ioerr_data: return .damaged
    case tidings_sqlite_ioerr_short_read: return nil
    case let code: throw error(code)
    }
  }
}

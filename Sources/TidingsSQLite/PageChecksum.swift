internal import CStoreVFS

/// The checksum at the end of each page of a database file, in the format of SQLite's cksumvfs.
public enum PageChecksum {
  /// Bytes at a page's end that hold it.
  public static let bytes = Int(TIDINGS_PAGE_CHECKSUM_BYTES)

  /// The number of the page that SQLite never uses, because locks are taken on its bytes.
  public static func lockPage(of pageBytes: Int) -> Int { (1 << 30) / pageBytes + 1 }

  /// Writes the checksum of a page into its end.
  ///
  /// - Parameter page: A whole page.
  public static func write(into page: inout [UInt8]) {
    page.withUnsafeMutableBufferPointer { page in
      guard let start = page.baseAddress, page.count > bytes else { return }
      tidings_page_seal(start, CInt(page.count))
    }
  }

  /// Whether a page has the checksum that its end says.
  public static func isValid(_ page: ArraySlice<UInt8>) -> Bool {
    page.withUnsafeBufferPointer { page in
      guard let start = page.baseAddress, page.count > bytes else { return false }
      return tidings_page_is_sound(start, CInt(page.count)) != 0
    }
  }

  /// Pages and frames of the log that were read in this process and had another checksum.
  public static var mismatchCount: UInt64 { tidings_vfs_damage_count() }
}

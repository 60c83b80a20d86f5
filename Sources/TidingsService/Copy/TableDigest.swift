internal import TidingsFiles

/// What two copies of a table have in common: the number of rows, and a checksum over all of them in the order of
/// the key.
struct TableDigest: Hashable {
  private(set) var rowCount: Int64 = 0
  /// Of values.
  private(set) var byteCount = 0
  private(set) var checksum: [UInt8] = []

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - pages: The table.
  ///   - progress: Called with the number of rows after each page.
  /// - Throws: As `TablePages.page(after:)`.
  init(_ pages: TablePages, _ progress: (Int) -> Void) throws {
    var (hash, encoded) = (SHA256(), [UInt8]())
    try pages.forEachPage { rows in
      encoded.removeAll(keepingCapacity: true)
      for value in rows.values { value.append(to: &encoded) }
      hash.update(encoded[...])
      rowCount += Int64(rows.count)
      byteCount += encoded.count
      progress(rows.count)
    }
    checksum = hash.checksum()
  }
}

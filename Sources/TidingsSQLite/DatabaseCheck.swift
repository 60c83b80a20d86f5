internal import TidingsSQL

extension SQLiteConnection {
  /// Files up to this size are read whole by every check.
  public static let quickCheckBytesMax: Int64 = 64 << 20

  /// Looks for damage: always that the file is a database with a sound first page; page by page when
  /// it is small, or when `thorough`.
  ///
  /// - Parameters:
  ///   - thorough: Whatever its size.
  ///   - firstPageIsInLog: The log holds the first page, which nobody then reads in the file: a power loss within a
  ///     checkpoint may have left a part of it there, and the next checkpoint writes it again.
  /// - Throws: `damaged`, with what was found.
  public func check(thorough: Bool, firstPageIsInLog: Bool = false) throws {
    if !firstPageIsInLog, try pageFormat() == .damaged {
      throw SQLError(.damaged, "the first page has another checksum")
    }
    let size = try number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    guard thorough || size <= Self.quickCheckBytesMax else { return }
    let statement = try prepare("PRAGMA quick_check(1)")
    defer { statement.reset() }
    guard try statement.step(), statement.string(0) != "ok" else { return }
    throw SQLError(.damaged, statement.string(0))
  }
}

internal import CSQLite
public import TidingsSQL

/// The pages of a database file that hold nothing: those of removed rows, until they are used again or given back.
///
/// Used on the thread of the connection.
public final class FreePages {
  /// Most pages that are given back in one piece, each by moving the last page of the file into a free one.
  public static let pieceMax = 16
  /// A piece ends after this time: to find a free page takes longer the more there are.
  private static let pieceDuration = Duration.microseconds(500)

  /// Whether the file can become smaller; a store of an earlier version cannot, before it is compacted.
  public let canRelease: Bool
  /// Bytes of one page.
  public let pageBytes: Int
  private let selectFree: any SQLStatement
  private let selectPages: any SQLStatement
  private let releaseOne: any SQLStatement

  /// Prepares the statements.
  ///
  /// - Throws: `SQLError`.
  public init(_ connection: SQLiteConnection) throws(SQLError) {
    let incremental: Int64 = 2
    canRelease = try connection.number("PRAGMA auto_vacuum") == incremental
    pageBytes = Int(try connection.number("PRAGMA page_size"))
    selectFree = try connection.prepare("PRAGMA freelist_count")
    selectPages = try connection.prepare("PRAGMA page_count")
    releaseOne = try connection.prepare("PRAGMA incremental_vacuum(\(Self.pieceMax))")
  }

  /// How many pages are free.
  ///
  /// - Throws: `SQLError`.
  public func count() throws(SQLError) -> Int { try number(selectFree) }

  /// How many pages the file has, with the free ones.
  ///
  /// - Throws: `SQLError`.
  public func pageCount() throws(SQLError) -> Int { try number(selectPages) }

  /// Gives a piece back, within the open transaction.
  ///
  /// The file itself becomes smaller when the whole log was moved into it.
  ///
  /// - Throws: `SQLError`.
  public func releasePiece() throws(SQLError) {
    let end = ContinuousClock.now.advanced(by: Self.pieceDuration)
    defer { releaseOne.reset() }
    // Each step gives one page back.
    while try releaseOne.step(), ContinuousClock.now < end {}
  }

  private func number(_ statement: any SQLStatement) throws(SQLError) -> Int {
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int64(0)) : 0
  }
}

internal import TidingsEngine
internal import TidingsSQL

/// A commit of a database with several nodes, which was seen in it: whoever leads later must find it there.
struct CommitMark: Comparable, Sendable {
  /// The leader's term.
  var term: Int64
  /// Its number in the term.
  var number: Int64

  private static let lostKey = "lost_commit"

  static func < (one: Self, other: Self) -> Bool {
    (one.term, one.number) < (other.term, other.number)
  }

  /// Whether the store of a database is one that this commit belongs to: it has the commit, or it got
  /// another identity because it does not have it.
  ///
  /// - Throws: `SQLError`.
  func isKept(in connection: any SQLConnection) throws(SQLError) -> Bool {
    let select = try connection.prepare("SELECT number FROM commits WHERE term = ?1")
    select.bind(term, at: 1)
    defer { select.reset() }
    if try select.step(), select.int64(0) >= number { return true }
    return try Self.lost(in: connection).map { self <= $0 } ?? false
  }

  /// Gives a store that has lost this commit another identity, so that what clients keep of the lost
  /// history expires.
  ///
  /// - Parameter connection: The database, which this node has taken.
  /// - Returns: The new incarnation.
  /// - Throws: `SQLError`.
  func renewIdentity(_ connection: any SQLConnection) throws -> String {
    var value: [UInt8] = []
    for part in [term, number] {
      withUnsafeBytes(of: part.bigEndian) { value.append(contentsOf: $0) }
    }
    return try StoreIdentity.renew(connection, noting: (Self.lostKey, value))
  }

  /// The last of the lost commits for which the store got another identity.
  private static func lost(in connection: any SQLConnection) throws(SQLError) -> CommitMark? {
    let select = try connection.prepare("SELECT value FROM store WHERE key = ?1")
    select.bind(lostKey, at: 1)
    defer { select.reset() }
    guard try select.step() else { return nil }
    let value = select.bytes(0)
    guard value.count == 16 else { throw SQLError(.damaged, "the store's \(lostKey) is damaged") }
    func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
      Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
    return CommitMark(term: number(value[..<8]), number: number(value[8...]))
  }
}

internal import TidingsSQL
public import TidingsSQLite

/// The pages of a table or an index in an SQLite file, to be damaged.
///
/// - SeeAlso: SQLite, Database File Format, 1.6 B-tree Pages.
public struct DatabasePages {
  private let bytes: [UInt8]
  private let pageBytes: Int

  /// The pages of a file whose log was moved into it.
  public init(of bytes: [UInt8]) {
    self.bytes = bytes
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    pageBytes = size == 1 ? 65_536 : size
  }

  /// The bytes of a table's or index's leaves, in the order of the keys.
  ///
  /// - Parameters:
  ///   - name: The table or index.
  ///   - connection: A connection to the same file.
  /// - Returns: Where each page is in the file.
  /// - Throws: `SQLError`.
  public func leaves(of name: String, _ connection: SQLiteConnection) throws -> [Range<Int>] {
    let select = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?1")
    select.bind(name, at: 1)
    defer { select.reset() }
    guard try select.step() else { throw WaitingFailure(description: "there is no '\(name)'") }
    return leaves(below: Int(select.int64(0)))
  }

  private func leaves(below page: Int) -> [Range<Int>] {
    let start = (page - 1) * pageBytes
    let head = page == 1 ? start + 100 : start
    // 2 and 5: pages of an index and of a table that have children.
    guard bytes[head] == 2 || bytes[head] == 5 else { return [start..<start + pageBytes] }
    let count = number(at: head + 3, bytes: 2)
    let children = (0..<count).map { cell in
      number(at: start + number(at: head + 12 + 2 * cell, bytes: 2), bytes: 4)
    }
    return (children + [number(at: head + 8, bytes: 4)]).flatMap(leaves(below:))
  }

  private func number(at position: Int, bytes count: Int) -> Int {
    bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

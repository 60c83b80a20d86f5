internal import TidingsSQL

/// The starts of a store, each with a random number that its tokens carry.
///
/// A token whose number the store does not know was issued in a start that this store did not see:
/// before, somebody put an older copy in place. Its positions mean something else here, and cover what
/// is yet to come, even when the numbers have grown past them again. Where there are no starts, tokens
/// carry none: no engine has opened the store yet.
struct StoreStarts {
  /// Most starts that are known; tokens from before the oldest expire.
  static let countMax = 8_192
  private static let numberBytes = 8
  private static let key = "starts"
  /// So large that no position is taken for one.
  private static let numbers: Range<Int64> = 1 << 48..<1 << 55

  private let known: Set<Int64>
  /// The number of the newest start; `nil`: there is none.
  let newest: Int64?

  /// Reads the starts of a store.
  ///
  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection, of incarnation: [UInt8]) throws {
    let numbers = try Self.read(connection, of: incarnation)
    known = Set(numbers)
    newest = numbers.last
  }

  /// Whether a token that carries this number, or none, was issued by this store.
  func include(_ number: Int64?) -> Bool { newest == nil || number.map(known.contains) ?? false }

  /// Notes a start.
  ///
  /// - Throws: `SQLError`.
  static func add(to connection: any SQLConnection, of incarnation: [UInt8]) throws {
    let numbers = try read(connection, of: incarnation) + [.random(in: numbers)]
    var bytes = incarnation
    for number in numbers.suffix(countMax) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    let write = try connection.prepare(
      """
      INSERT INTO store (key, value) VALUES (?1, ?2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """
    )
    write.bind(key, at: 1)
    write.bind(bytes, at: 2)
    try write.run()
  }

  /// The numbers of the starts of one incarnation: with another all start again.
  private static func read(
    _ connection: any SQLConnection,
    of incarnation: [UInt8]
  ) throws -> [Int64] {
    let select = try connection.prepare("SELECT value FROM store WHERE key = ?1")
    select.bind(key, at: 1)
    defer { select.reset() }
    guard try select.step() else { return [] }
    let bytes = select.bytes(0)
    guard bytes.count.isMultiple(of: numberBytes), bytes.count >= incarnation.count else {
      throw SQLError(.damaged, "the store's \(key) have \(bytes.count) bytes")
    }
    guard bytes.starts(with: incarnation) else { return [] }
    return stride(from: incarnation.count, to: bytes.count, by: numberBytes).map { start in
      bytes[start..<start + numberBytes].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
  }
}

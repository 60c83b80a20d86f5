package import TidingsSQL

/// What makes this store itself: made when it is created, kept with it.
package struct StoreIdentity {
  /// Changes when the store is restored from a backup, so that old tokens expire: 8 bytes.
  let incarnation: [UInt8]
  /// Authenticates tokens and hides devices from each other: 32 bytes.
  let secret: [UInt8]
  /// The starts of this store, the newest last: what its tokens may have been issued in.
  let starts: StoreStarts

  private static let incarnationBytes = 8
  private static let secretBytes = 32

  /// Reads the identity of a store, or gives a new store one.
  init(_ connection: any SQLConnection) throws {
    let secret = try Self.value("secret", bytes: Self.secretBytes, connection)
    // A backup has no secret: whoever has one could open the pushes of a store that ran with it.
    if secret.allSatisfy({ $0 == 0 }) { try Self.renew(connection) }
    incarnation = try Self.value("incarnation", bytes: Self.incarnationBytes, connection)
    self.secret = try Self.value("secret", bytes: Self.secretBytes, connection)
    starts = try StoreStarts(connection, of: incarnation)
  }

  /// Reads the identity of a store, or gives a new store one, and notes that an engine begins to use
  /// it.
  ///
  /// - Throws: `SQLError`.
  static func starting(_ connection: any SQLConnection) throws -> StoreIdentity {
    try StoreStarts.add(to: connection, of: try StoreIdentity(connection).incarnation)
    return try StoreIdentity(connection)
  }

  /// Gives a store another identity, in a transaction of its own: what clients hold of the old one
  /// expires, and its keys open nothing that is published from now on.
  ///
  /// - Parameters:
  ///   - connection: The store, outside of a transaction.
  ///   - note: What is kept of the reason in the store; `nil`: nothing.
  /// - Returns: The incarnation, 16 hexadecimal digits.
  /// - Throws: `SQLError`; then the store is as it was.
  @discardableResult
  package static func renew(
    _ connection: any SQLConnection,
    noting note: (key: String, value: [UInt8])? = nil
  ) throws -> String {
    let incarnation = Cryptography.randomBytes(incarnationBytes)
    // The old secret is not left behind in free space.
    try connection.overwriteRemovedContent()
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try set("incarnation", to: incarnation, connection)
      try set("secret", to: Cryptography.randomBytes(secretBytes), connection)
      if let note { try set(note.key, to: note.value, connection) }
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
    return incarnation.hexadecimal
  }

  private static func set(_ key: String, to value: [UInt8], _ connection: any SQLConnection) throws
  {
    let upsert = try connection.prepare(
      """
      INSERT INTO store (key, value) VALUES (?1, ?2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """
    )
    upsert.bind(key, at: 1)
    upsert.bind(value, at: 2)
    try upsert.run()
  }

  private static func value(
    _ key: String,
    bytes: Int,
    _ connection: any SQLConnection
  ) throws
    -> [UInt8]
  {
    let select = try connection.prepare("SELECT value FROM store WHERE key = ?1")
    select.bind(key, at: 1)
    defer { select.reset() }
    if try !select.step() {
      select.reset()
      let insert = try connection.prepare("INSERT INTO store (key, value) VALUES (?1, ?2)")
      insert.bind(key, at: 1)
      insert.bind(Cryptography.randomBytes(bytes), at: 2)
      try insert.run()
      guard try select.step() else { throw SQLError(.damaged, "the store's \(key) is missing") }
    }
    let value = select.bytes(0)
    guard value.count == bytes else {
      throw SQLError(.damaged, "the store's \(key) has \(value.count) bytes and must have \(bytes)")
    }
    return value
  }
}

internal import TidingsSQL

/// What makes this store itself: made when it is created, kept with it.
struct StoreIdentity {
  /// Changes when the store is restored from a backup, so that old tokens expire: 8 bytes.
  let incarnation: [UInt8]
  /// Authenticates tokens and hides devices from each other: 32 bytes.
  let secret: [UInt8]

  /// Reads the identity of a store, or gives a new store one.
  init(_ connection: any SQLConnection) throws {
    incarnation = try Self.value("incarnation", bytes: 8, connection)
    secret = try Self.value("secret", bytes: 32, connection)
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

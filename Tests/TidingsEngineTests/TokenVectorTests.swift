internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL
internal import VectorSupport

@testable internal import TidingsEngine

/// Tokens that were issued stay readable, as the vectors of all languages say.
@Suite struct TokenVectorTests {
  @Test("tokens that earlier servers issued are read, and made again")
  func tokens() throws {
    let identity = try identity()
    for vector in TestVectors.load("tokens") {
      let token = try #require(vector.bytes("token"))
      let purpose = try #require(vector.text("purpose"))
      guard let texts = vector.texts("numbers") else {
        #expect(throws: ItemError.self, "\(vector)") {
          try SealedToken.open(token, for: purpose, identity, holder: "x")
        }
        continue
      }
      let numbers = try texts.map { try #require(Int64($0)) }
      let read = try SealedToken.open(token, for: purpose, identity, holder: "x")
      #expect(read == numbers, "\(vector)")
      #expect(SealedToken.seal(numbers, for: purpose, identity) == token, "\(vector)")
    }
  }

  /// The store of the vectors.
  private func identity() throws -> StoreIdentity {
    let connection = try TestDatabase().connect()
    try connection.migrate(Migration.store)
    for (key, value) in [("incarnation", Array(0xa0...0xa7)), ("secret", Array(0...31))] {
      let insert = try connection.prepare("INSERT INTO store (key, value) VALUES (?1, ?2)")
      insert.bind(key, at: 1)
      insert.bind(value.map { UInt8($0) }, at: 2)
      try insert.run()
    }
    return try StoreIdentity(connection)
  }
}

import Testing
import TidingsEncryption
import TidingsProto
import TidingsProtobuf
import VectorSupport

@testable import TidingsClient

/// Pushes and encrypted values open as the vectors of all languages say.
@Suite struct VectorTests {
  @Test("pushes")
  func pushes() throws {
    for vector in TestVectors.load("pushes") {
      let channel = try #require(vector.text("channel_id"))
      let key = try #require(vector.bytes("key"))
      let content = try content(#require(vector.bytes("push")), key, channel)
      guard let opened = vector.bytes("opened") else {
        #expect(content == .unreadable, "\(vector)")
        continue
      }
      if channel.isEmpty {
        let marks = try TidingsV1.ReadMarks(decoding: opened)
        #expect(content == .readMarks(marks.notificationIDs), "\(vector)")
      } else {
        #expect(try content == .notification(.init(decoding: opened)), "\(vector)")
      }
    }
  }

  private func content(_ bytes: [UInt8], _ key: [UInt8], _ channel: String) -> PushContent {
    guard let push = try? TidingsV1.Push(decoding: bytes) else { return .unreadable }
    return channel.isEmpty
      ? PushContent(push, controlKey: key)
      : PushContent(push, of: .init(position: .init(channelID: channel), key: key))
  }

  @Test("encrypted values")
  func values() throws {
    for vector in TestVectors.load("encrypted_values") {
      let opened = try vector.bytes("opened").map { try TidingsV1.FieldValue(decoding: $0) }
      #expect(try open(vector) == opened, "\(vector)")
    }
  }

  /// `nil`: refused.
  private func open(_ vector: TestVector) throws -> TidingsV1.FieldValue? {
    let database = try TidingsV1.DatabaseID(decoding: #require(vector.bytes("database_id")))
    let record = try TidingsV1.RecordID(decoding: #require(vector.bytes("record_id")))
    let value = try TidingsV1.EncryptedValue(decoding: #require(vector.bytes("value")))
    let ring = try? KeyRing(text: #require(vector.text("key_ring")))
    guard let ring else { return nil }
    let sealer = FieldSealer(ring, database: database, user: vector.text("user") ?? "")
    return try? sealer.open(
      .init(value: .encryptedValue(value)),
      in: vector.text("field") ?? "",
      of: record
    )
  }
}

import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import VectorSupport

/// The mapping does what the vectors of all languages say.
@Suite struct VectorTests {
  private let transcoder: JSONTranscoder

  init() throws {
    let files: [FileDescriptor] = [
      .tidingsRpcV1HeaderProto, .tidingsRpcV1ErrorDetailsProto, .tidingsV1AccountServiceProto,
      .tidingsV1DeliveryServiceProto, .tidingsV1GatewayServiceProto,
      .tidingsV1NotificationServiceProto, .tidingsV1RecordServiceProto,
      .tidingsV1ShareServiceProto, .tidingsV1SubscriptionServiceProto, .tidingsV1ZoneServiceProto,
    ]
    transcoder = JSONTranscoder(
      schema: try Schema(fileDescriptors: files.flatMap(\.serializedWithDependencies))
    )
  }

  @Test("messages in both forms", arguments: ["headers", "records", "services"])
  func messages(area: String) throws {
    for vector in TestVectors.load(area, kind: "message") {
      let type = try #require(vector.text("type"))
      let binary = try #require(vector.bytes("binary"))
      let json = try #require(vector.json("json"))
      #expect(try transcoder.encode(json, as: type) == binary, "\(vector)")
      let back = try transcoder.encode(transcoder.decode(binary, as: type), as: type)
      #expect(back == binary, "\(vector)")
    }
  }

  @Test("other ways to write the same in JSON")
  func accepted() throws {
    for vector in TestVectors.load("forms", kind: "accepted_json") {
      let type = try #require(vector.text("type"))
      let text = try #require(vector.text("text"))
      let came = try transcoder.encode(JSONValue(parsing: text), as: type)
      #expect(came == vector.bytes("binary"), "\(vector)")
    }
  }

  @Test("what no reader takes")
  func refused() throws {
    for vector in TestVectors.load("forms", kind: "refused_json") {
      let type = try #require(vector.text("type"))
      let text = try #require(vector.text("text"))
      #expect(throws: (any Error).self, "\(vector)") {
        try transcoder.encode(JSONValue(parsing: text), as: type)
      }
    }
  }

  @Test("bytes that are no message")
  func refusedBytes() throws {
    for vector in TestVectors.load("refused") {
      let type = try #require(vector.text("type"))
      let binary = try #require(vector.bytes("binary"))
      #expect(throws: TranscodingError.self, "\(vector)") {
        try transcoder.decode(binary, as: type)
      }
    }
  }
}

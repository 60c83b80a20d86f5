import DescriptorProtoC
import Testing

@testable import ProtoGen

@Suite("Refusals")
struct RefusalTests {
  private func error(_ file: String, _ options: String = "c_module=C") throws -> String {
    let bytes = SwiftGenerator.respond(to: try FixtureRequest.encoded([file], options))
    let response = try #require(
      google__protobuf__compiler__code_generator_response__unpack(nil, bytes.count, bytes)
    )
    defer { google__protobuf__compiler__code_generator_response__free_unpacked(response, nil) }
    #expect(response.pointee.n_file == 0)
    return ProtoGen.string(response.pointee.error)
  }

  @Test("a method that streams requests is named")
  func refusesClientStreaming() throws {
    #expect(
      try error("fixture/refused/client_streaming.proto").contains(
        "fixture.refused.UploadService/Upload streams requests"
      )
    )
  }

  @Test("proto2 is refused")
  func refusesProto2() throws {
    #expect(try error("fixture/refused/old.proto").contains("fixture/refused/old.proto is proto2"))
  }

  @Test("a type of a file that is neither generated nor in a module is named, with the way out")
  func refusesMissingImport() throws {
    let error = try error("fixture/refused/imports.proto")
    #expect(error.contains("google.protobuf.Timestamp of google/protobuf/timestamp.proto"))
    #expect(error.contains("import=google.protobuf:MODULE"))
  }

  @Test(
    "wrong options are named",
    arguments: [
      ("", "c_module"), ("c_module=C,colour=red", "unknown option colour"),
      ("c_module=C,access=private", "access=private"), ("c_module", "c_module has no value"),
      ("c_module=C,import=a.b", "import=a.b"),
    ]
  )
  func refusesOptions(options: String, part: String) throws {
    #expect(try error("fixture/v1/tree.proto", options).contains(part))
  }

  @Test("bytes that are no request are refused, not fatal")
  func refusesGarbage() {
    #expect(!SwiftGenerator.respond(to: [0xff, 0xff]).isEmpty)
    #expect(!CFilter.respond(to: [0xff, 0xff]).isEmpty)
  }
}

import DescriptorProtoC
import Foundation
import Testing

@testable import ProtoGen

@Suite("Python stubs")
struct PythonGeneratorTests {
  @Test("the output for the fixture is what is checked in, for files with services only")
  func matchesGolden() throws {
    let files = ["fixture/v1/everything.proto", "fixture/v1/greeter_service.proto"]
    let request = try PluginRequest(FixtureRequest.encoded(files, ""))
    let generated = try PythonGenerator.generate(request)
    #expect(generated.map(\.name) == ["fixture/v1/greeter_service_rpc.py"])
    for file in generated {
      let golden = FixtureRequest.tests.appending(path: "GeneratedFixturePython/" + file.name)
      let expected = try String(contentsOf: golden, encoding: .utf8)
      #expect(file.content == expected, "run tools/generate, and read the difference")
    }
  }

  @Test(
    "methods become functions and constants",
    arguments: [
      ("ModifyRecords", "modify_records", "MODIFY_RECORDS"),
      ("FetchURLs", "fetch_urls", "FETCH_URLS"),
      ("FetchUserRecordID", "fetch_user_record_id", "FETCH_USER_RECORD_ID"),
      ("HTTPGet", "http_get", "HTTP_GET"),
      ("Import", "import_", "IMPORT"),
    ]
  )
  func names(method: String, function: String, constant: String) {
    #expect(PythonNames.function(method) == function)
    #expect(PythonNames.constant(method) == constant)
  }

  @Test("files become modules as protoc names them")
  func modules() {
    #expect(PythonNames.messageModule("a/my-file.proto") == "a.my_file_pb2")
    #expect(PythonNames.serviceFile("a/my-file.proto") == "a/my_file_rpc.py")
  }

  @Test("comments are docstrings whatever they hold")
  func docstrings() {
    #expect(PythonDocstring.lines([]).isEmpty)
    #expect(PythonDocstring.lines(["One."]) == ["\"\"\"One.\"\"\""])
    #expect(PythonDocstring.lines(["Say \"no\""]) == ["\"\"\"Say \"no\" \"\"\""])
    #expect(
      PythonDocstring.lines(["a\\b", "", "\"\"\"\"\"\""])
        == ["\"\"\"a\\\\b", "", "\"\"\\\"\"\"\\\"", "\"\"\""]
    )
  }

  @Test("what cannot be generated is refused in words")
  func refusals() throws {
    #expect(
      try error("fixture/refused/client_streaming.proto", "").contains("streams requests")
    )
    #expect(
      try error("fixture/v1/greeter_service.proto", "colour=red").contains(
        "unknown option colour=red"
      )
    )
    #expect(!PythonGenerator.respond(to: [0xff, 0xff]).isEmpty)
  }

  private func error(_ file: String, _ options: String) throws -> String {
    let bytes = PythonGenerator.respond(to: try FixtureRequest.encoded([file], options))
    let response = try #require(
      google__protobuf__compiler__code_generator_response__unpack(nil, bytes.count, bytes)
    )
    defer { google__protobuf__compiler__code_generator_response__free_unpacked(response, nil) }
    #expect(response.pointee.n_file == 0)
    return ProtoGen.string(response.pointee.error)
  }
}

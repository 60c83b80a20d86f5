import Foundation
import Testing

@testable import ProtoGen

/// Compares the generated Swift with the files that `Tests/GeneratedFixture` compiles.
///
/// `TIDINGS_UPDATE_GOLDEN=1` rewrites those files instead; read the difference before committing it.
@Suite("Golden files")
struct GoldenTests {
  private static let files = [
    "fixture/no_package.proto", "fixture/v1/everything.proto", "fixture/v1/greeter_service.proto",
    "fixture/v1/tree.proto",
  ]
  private static let options =
    "c_module=GeneratedFixtureC,import=google.protobuf:TidingsProto,import=tidings.v1:TidingsProto"

  @Test("the output for the fixture is what is checked in")
  func matchesGolden() throws {
    let request = try PluginRequest(FixtureRequest.encoded(Self.files, Self.options))
    let generated = try SwiftGenerator.generate(request)
    #expect(generated.count == Self.files.count + 1)
    for file in generated {
      let golden = FixtureRequest.tests.appending(path: "GeneratedFixture/" + file.name)
      if ProcessInfo.processInfo.environment["TIDINGS_UPDATE_GOLDEN"] == "1" {
        try Data(file.content.utf8).write(to: golden)
      }
      let expected = try String(contentsOf: golden, encoding: .utf8)
      #expect(
        file.content == expected,
        "\(file.name): \(Self.firstDifference(file.content, expected)); see TIDINGS_UPDATE_GOLDEN"
      )
    }
  }

  private static func firstDifference(_ a: String, _ b: String) -> String {
    let a = a.split(separator: "\n", omittingEmptySubsequences: false)
    let b = b.split(separator: "\n", omittingEmptySubsequences: false)
    let index = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    return "line \(index + 1)"
  }
}

import ConformanceCore
import Foundation
import Testing
import TidingsJSON
import VectorSupport

/// The vectors are current, and another implementation says the same.
@Suite struct VectorFileTests {
  static let areas = [
    "headers", "records", "services", "forms", "refused", "pushes", "encrypted_values", "keys",
    "tokens",
  ]

  @Test("proto/vectors is what `tidings-conformance vectors --write` writes")
  func current() throws {
    #expect(
      try VectorFiles.outdated(in: TestVectors.folder) == [],
      "run: tidings-conformance vectors --write proto/vectors"
    )
  }

  @Test("names are unique, and each vector says what it is there for", arguments: areas)
  func named(area: String) {
    let vectors = TestVectors.load(area)
    #expect(Set(vectors.map(\.name)).count == vectors.count)
    #expect(vectors.allSatisfy { $0.text("about")?.isEmpty == false })
  }

  @Test("protoc reads and writes every message as the vectors say", arguments: areas.prefix(4))
  func protoc(area: String) throws {
    let protoc = try Protoc()
    for vector in TestVectors.load(area) where vector.bytes("binary") != nil {
      let type = try #require(vector.text("type"))
      let binary = try #require(vector.bytes("binary"))
      switch vector.kind {
      case "message":
        #expect(try protoc.encode(protoc.decode(binary, type), type) == binary, "\(vector)")
      // protoc shows entries of maps as they came.
      case "accepted_binary" where vector.name == "map_key_twice": continue
      case "accepted_binary":
        let usual = try #require(vector.bytes("usual"))
        let read = try protoc.decode(binary, type)
        #expect(try read == protoc.decode(usual, type), "\(vector)")
      case "accepted_json", "unknown_fields": _ = try protoc.decode(binary, type)
      default: continue
      }
    }
  }

  @Test("protoc refuses every message that is to be refused")
  func protocRefuses() throws {
    let protoc = try Protoc()
    for vector in TestVectors.load("refused") {
      let type = try #require(vector.text("type"))
      let binary = try #require(vector.bytes("binary"))
      // protoc warns of texts that are not UTF-8, and goes on.
      #expect(throws: Protoc.Refusal.self, "\(vector)") { try protoc.decode(binary, type) }
    }
  }
}

/// Google's compiler as a converter between binary and text.
private struct Protoc {
  struct Refusal: Error, CustomStringConvertible { let description: String }

  private let folder: String
  private let descriptors: String

  init() throws {
    let proto = URL(fileURLWithPath: TestVectors.folder).deletingLastPathComponent().path
    folder = NSTemporaryDirectory() + "protoc-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    descriptors = folder + "/set.pb"
    let files = try FileManager.default.subpathsOfDirectory(atPath: proto)
      .filter { $0.hasSuffix(".proto") }
    _ = try Self.run(
      ["-I", proto, "--include_imports", "--descriptor_set_out", descriptors] + files
    )
  }

  func decode(_ bytes: [UInt8], _ type: String) throws -> [UInt8] {
    try Self.run(["--descriptor_set_in", descriptors, "--decode=\(type)"], input: bytes)
  }

  func encode(_ text: [UInt8], _ type: String) throws -> [UInt8] {
    try Self.run(
      ["--descriptor_set_in", descriptors, "--deterministic_output", "--encode=\(type)"],
      input: text
    )
  }

  private static func run(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let process = Process()
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let path = folders.map { "\($0)/protoc" }.first(where: FileManager.default.isExecutableFile)
    process.executableURL = URL(fileURLWithPath: try #require(path, "protoc is not installed"))
    process.arguments = arguments
    let (into, out, errors) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (into, out, errors)
    try process.run()
    // All fit into a pipe.
    try into.fileHandleForWriting.write(contentsOf: Data(input))
    try into.fileHandleForWriting.close()
    let output = out.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let words = String(decoding: complaints, as: UTF8.self)
    guard process.terminationStatus == 0, !words.contains("invalid UTF-8") else {
      throw Refusal(description: words)
    }
    return Array(output)
  }
}

internal import Foundation
internal import TestSupport
internal import Testing

/// `docs/a-client-in-your-language.md` is correct.
@Suite(.endsServers) struct PageTests {
  private static let path = "docs/a-client-in-your-language.md"

  /// The blocks of code in a language.
  private func blocks(_ language: String) throws -> [String] {
    try Repository.text(Self.path).components(separatedBy: "\n```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "\n```\n")[0] + "\n" }
  }

  /// All files of an example that are written by hand.
  private func sources(_ example: String) throws -> String {
    let folder = Repository.root + "/docs/examples/" + example
    return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      .filter { name in
        !name.hasPrefix("build")
          && ["c", "h", "java", "go", "Makefile"].contains { name.hasSuffix($0) }
          && name.contains { $0 == "." || $0 == "M" }
      }
      .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
      .joined()
  }

  @Test(
    "its code is that of the examples",
    arguments: [("c", "c"), ("make", "c"), ("java", "java"), ("go", "go")]
  )
  func code(language: String, example: String) throws {
    let sources = try sources(example)
    let blocks = try blocks(language)
    #expect(!blocks.isEmpty)
    for block in blocks { #expect(sources.contains(block), "not in docs/examples/\(example)") }
  }

  @Test("no example sets ZMQ_IMMEDIATE, which can end the process", arguments: ["c", "java", "go"])
  func immediate(example: String) throws {
    #expect(!(try sources(example)).contains("IMMEDIATE"))
  }

  @Test("its commands print the output shown")
  func commands() async throws {
    let server = try await TestServer.start()
    let houses = Houses(try await Example.c.value, server)
    let lines = try #require(try blocks("console").first).split(separator: "\n").map(String.init)
    let shown = lines.filter { !$0.hasPrefix("$") }.joined(separator: "\n") + "\n"
    // The page starts with the build and the endpoint of the server.
    let script = lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
      .filter { !$0.hasPrefix("cd ") && $0 != "make" }
      .map { $0.replacingOccurrences(of: "build/houses", with: "'\(houses.path)'") + " 2>&1" }
    let run = try await ForeignProgram.run(
      "/bin/sh",
      ["-c", script.joined(separator: "\n")],
      environment: ["TIDINGS_ENDPOINT": server.rpcEndpoint]
    )
    #expect(run.output == shown)
  }

  @Test(
    "its tables of the headers have all their fields, in order",
    arguments: [("request header", "RequestHeader"), ("response header", "ResponseHeader")]
  )
  func headers(title: String, message: String) throws {
    let proto = try Repository.text("proto/tidings/rpc/v1/header.proto")
    let body = try #require(proto.components(separatedBy: "message \(message) {\n").last)
      .components(separatedBy: "\n}\n")[0]
    let fields = body.split(separator: "\n").filter { $0.hasSuffix(";") && !$0.contains("//") }
      .compactMap { line in
        line.components(separatedBy: " = ")[0].split(separator: " ").last.map(String.init)
      }
    #expect(try firstColumn("| \(title) | |").map { $0.trimmingCharacters(in: ["`"]) } == fields)
  }

  @Test("its statuses are those of the page about errors")
  func statuses() throws {
    let errors = try Repository.text("docs/errors.md").split(separator: "\n")
    let page = try Repository.text(Self.path).split(separator: "\n")
    let rows = page.filter { $0.wholeMatch(of: #/\| \d+ \| [A-Z_]+ \|.*/#) != nil }
    #expect(rows.count == 16)
    for row in rows {
      let cells = row.split(separator: "|").prefix(2).joined(separator: "|")
      #expect(errors.contains { $0.hasPrefix("|\(cells)|") }, "\(row)")
    }
  }

  /// The first cells of the table that has this head.
  private func firstColumn(_ head: String) throws -> [String] {
    try #require(try Repository.text(Self.path).components(separatedBy: head + "\n").last)
      .components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
      .map { $0.split(separator: "|")[0].trimmingCharacters(in: [" "]) }
  }

  @Test("the files, methods and messages that it names are there")
  func names() throws {
    let page = try Repository.text(Self.path)
    let protos = try FileManager.default.subpathsOfDirectory(atPath: Repository.root + "/proto")
      .filter { $0.hasSuffix(".proto") }.map { try Repository.text("proto/" + $0) }.joined()
    for match in page.matches(of: #/`(?:tidings\.\w+\.v1|tidings\.v1)\.(\w+)`/#) {
      #expect(protos.contains("message \(match.1) {"), "\(match.0)")
    }
    for match in page.matches(of: #/(\w+Service)\/(\w+)`/#) {
      #expect(protos.contains("service \(match.1) {"), "\(match.0)")
      #expect(protos.contains("rpc \(match.2)("), "\(match.0)")
    }
    for match in page.matches(of: #/`((?:docs|proto|Sources|tools)\/[^`*]*)`/#) {
      #expect(FileManager.default.fileExists(atPath: "\(Repository.root)/\(match.1)"), "\(match.0)")
    }
  }
}

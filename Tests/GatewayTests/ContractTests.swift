internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// The contract as files: requests, and the answers that CloudKit's clients expect.
///
/// An answer has exactly the members of the file. `§any`, `§string`, `§integer`, `§uuid` and `§base64` stand for values
/// that differ; `§set:NAME` keeps one, for which `§get:NAME` stands in later requests and answers.
@Suite(.endsServers) struct ContractTests {
  static let files =
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?
    .filter { $0.hasSuffix(".json") }.sorted() ?? []

  private static let folder =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Contract"

  @Test("requests are answered as the contract says", arguments: files)
  func contract(_ file: String) async throws {
    let world = try await GatewayWorld.start()
    let text = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(file)"))
    let steps = try #require(try JSONValue(parsing: Array(text)).array)
    var values: [String: JSONValue] = [:]
    for (index, step) in steps.enumerated() {
      let step = try #require(step.object)
      let title = "\(file), step \(index + 1)"
      let request = try #require(step["request"]?.string).split(separator: " ")
      try #require(request.count == 2, "\(title)")
      let answer = try HTTPAnswer.to(
        String(request[0]),
        path(String(request[1]), step["as"]),
        at: world.port,
        body: step["body"].map { resolved($0, values).text() } ?? []
      )
      let status = step["status"] ?? .integer(200)
      #expect(.integer(answer.status) == status, "\(title): \(answer.text)")
      let json = try #require(answer.json, "\(title): \(answer.text)")
      if let expected = step["answer"] {
        var mismatch = Comparison()
        mismatch.compare(json, expected, "answer", &values)
        #expect(mismatch.problems.isEmpty, "\(title): \(mismatch.problems) in \(answer.text)")
      }
      #expect(answer.headers["x-apple-cloudkit-version"] == "1.0")
      #expect(answer.headers["x-apple-request-uuid"] != nil)
    }
  }

  @Test("there are files, and every endpoint is in one of them")
  func complete() throws {
    let texts = try Self.files.map {
      try String(contentsOfFile: "\(Self.folder)/\($0)", encoding: .utf8)
    }
    for endpoint in [
      "records/query", "records/lookup", "records/modify", "records/changes", "records/resolve",
      "records/accept", "changes/database", "changes/zone", "zones/changes", "zones/list",
      "zones/lookup", "zones/modify", "subscriptions/list", "subscriptions/lookup",
      "subscriptions/modify", "users/caller", "users/current", "users/discover",
      "users/lookup/email", "users/lookup/id", "assets/upload", "assets/rereference",
      "tokens/create", "tokens/register",
    ] {
      #expect(texts.contains { $0.contains("/\(endpoint)\"") }, "\(endpoint)")
    }
  }

  private func path(_ endpoint: String, _ user: JSONValue?) -> String {
    if user == .null { return GatewayWorld.path(endpoint, as: nil) }
    let user = user?.string ?? "ada"
    if endpoint.hasPrefix("/") { return "\(endpoint)?ckAPIToken=x\(GatewayWorld.token(user))" }
    return GatewayWorld.path(endpoint, as: user)
  }

  private func resolved(_ value: JSONValue, _ values: [String: JSONValue]) -> JSONValue {
    switch value {
    case .string(let text):
      text.hasPrefix("§get:") ? values[String(text.dropFirst("§get:".count))] ?? .null : value
    case .array(let array): .array(array.map { resolved($0, values) })
    case .object(let object):
      .object(
        object.members.reduce(into: JSONObject()) { $0.append($1.name, resolved($1.value, values)) }
      )
    default: value
    }
  }

  private struct Comparison {
    var problems: [String] = []

    mutating func compare(
      _ found: JSONValue,
      _ expected: JSONValue,
      _ path: String,
      _ values: inout [String: JSONValue]
    ) {
      switch (found, expected) {
      case (_, .string(let text)) where text.hasPrefix("§"):
        if !matches(found, text, &values) { problems.append("\(path) is \(found), not \(text)") }
      case (.object(let found), .object(let expected)):
        for member in expected.members {
          guard let value = found[member.name] else {
            problems.append("\(path).\(member.name) is missing")
            continue
          }
          compare(value, member.value, "\(path).\(member.name)", &values)
        }
        // What the contract does not have: the server's own code, beside CloudKit's.
        let more = expected["serverErrorCode"] == nil ? [] : ["tidingsErrorCode"]
        for member in found.members
        where expected[member.name] == nil && !more.contains(member.name) {
          problems.append("\(path).\(member.name) is not expected")
        }
      case (.array(let found), .array(let expected)):
        if found.count != expected.count {
          problems.append("\(path) has \(found.count) elements, not \(expected.count)")
        }
        for (index, (found, expected)) in zip(found, expected).enumerated() {
          compare(found, expected, "\(path)[\(index)]", &values)
        }
      default:
        if found != expected { problems.append("\(path) is \(found), not \(expected)") }
      }
    }

    private func matches(
      _ found: JSONValue,
      _ pattern: String,
      _ values: inout [String: JSONValue]
    ) -> Bool {
      if pattern.hasPrefix("§set:") {
        values[String(pattern.dropFirst("§set:".count))] = found
        return found != .null
      }
      if pattern.hasPrefix("§get:") {
        return found == values[String(pattern.dropFirst("§get:".count))]
      }
      return switch pattern {
      case "§any": true
      case "§string": found.string?.isEmpty == false
      case "§integer": found.number?.isInteger == true
      case "§uuid": found.string.flatMap { UUID(uuidString: $0) } != nil
      case "§base64": found.string.flatMap { Base64.decode($0) }?.isEmpty == false
      default: false
      }
    }
  }
}

/// What CloudKit Web Services do not have.
@Suite(.endsServers) struct ExtensionTests {
  @Test("a request with a key is applied once, however often it is sent")
  func idempotency() async throws {
    let world = try await GatewayWorld.start()
    let path = GatewayWorld.path("private/records/modify") + "&idempotencyKey=k1"
    let create =
      #"{"operations": [{"operationType": "create", "record": {"recordType": "Houses"}}]}"#
    let answers = try (0..<3).map { _ in
      try HTTPAnswer.to("POST", path, at: world.port, body: Array(create.utf8))
    }
    let names = answers.map { $0.records.first?["recordName"]?.string }
    #expect(names[0] != nil && Set(names).count == 1, "\(names)")
    let query = try world.post("private/records/query", ["query": ["recordType": "Houses"]])
    #expect(query.records.count == 1)
    let other = try HTTPAnswer.to(
      "POST",
      path,
      at: world.port,
      body: Array(create.replacingOccurrences(of: "Houses", with: "Rooms").utf8)
    )
    #expect(other.status == 409, "\(other.text)")
    let long = try HTTPAnswer.to(
      "POST",
      GatewayWorld.path("private/records/modify") + "&idempotencyKey="
        + String(repeating: "k", count: 65),
      at: world.port,
      body: Array(create.utf8)
    )
    #expect(long.status == 400 && long.code == "BAD_REQUEST")
  }
}

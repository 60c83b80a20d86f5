internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsKit
internal import TidingsProto

/// `docs/save-policies.md` has the policies of every language.
@Suite struct SavePolicyTests {
  /// The names of a column, without the empty ones.
  private func names(_ column: String) throws -> [String] {
    let lines = try Repository.text("docs/save-policies.md")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let rows = lines.drop { !$0.hasPrefix("| contract") }.prefix { $0.hasPrefix("|") }.map {
      $0.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let head = try #require(rows.first)
    let index = try #require(head.firstIndex(of: column))
    return rows.dropFirst(2).flatMap { row in
      row[index].split(separator: "`").map(String.init).filter { $0 != ", " }
    }
  }

  @Test("the names are the contract's, and TidingsKit's")
  func swift() throws {
    let prefix = "SAVE_POLICY_"
    let all = TidingsV1.SavePolicy.allCases.filter { $0 != .unspecified }
    #expect(try names("contract") == all.map { String("\($0)".dropFirst(prefix.count)) })
    let kit = (0...9).compactMap { CKModifyRecordsOperation.RecordSavePolicy(rawValue: $0) }
    #expect(try names("TidingsKit") == kit.map { "\($0)" })
  }

  @Test("tidings.js, rpcctl and the gateway say the same when they refuse another name")
  func refusals() async throws {
    let script = """
      import('\(Repository.root)/Sources/TidingsGateway/Web/tidings.js').then(async ({ Tidings }) => {
        const { publicDatabase } = new Tidings({ baseURL: 'http://127.0.0.1:1', apiToken: 'x' });
        await publicDatabase.save({ recordType: 'T' }, { policy: '?' }).catch(({ message }) => console.log(message));
      });
      """
    let node = try await ForeignProgram.run(
      "/bin/sh",
      ["-c", "exec node -e \"$1\"", "node", script]
    )
    #expect(node.output.contains("use \(try names("JavaScript").joined(separator: ", "))"))
    let rpcctl = try await ForeignProgram.run(
      try Repository.program("rpcctl"),
      ["records", "put", "a.json", "--save-policy", "?"]
    )
    for name in try names("rpcctl") {
      #expect(rpcctl.errors.contains(name), "\(name): \(rpcctl.errors)")
    }
    let source = try Repository.text("tools/python/src/tidings/database.py")
    for (index, name) in try names("Python").enumerated() {
      #expect(source.contains("\n    \(name) = \(index + 1)\n"), "\(name)")
    }
    let operations = try Repository.text("Sources/TidingsGateway/Web/tidings.js")
    for name in try names("HTTP") { #expect(operations.contains("'\(name)'"), "\(name)") }
  }
}

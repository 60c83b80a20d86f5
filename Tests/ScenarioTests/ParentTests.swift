internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// Parents make trees: no record lies below itself, and a parent can be removed.
@Suite(.endsServers) struct ParentTests {
  private func node(_ name: String, in parent: String? = nil) -> TidingsV1.Record {
    var record = TidingsV1.Record("Nodes", name)
    record.parent = parent.map { .init(recordID: .init($0)) }
    return record
  }

  private func parents(_ client: Client, _ names: [String]) async throws -> [String: String] {
    var parents: [String: String] = [:]
    for (name, result) in zip(names, try await client.fetch(names.map { .init($0) })) {
      guard let parent = result.record?.parent?.recordID?.recordName else { continue }
      parents[name] = parent
    }
    return parents
  }

  @Test("a record is neither its own parent nor below itself, in one call or over several")
  func cycles() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let own = try await client.modify([node("a", in: "a")])[0].error
    #expect(own?.code == .referenceViolation && own?.message.contains("its own parent") == true)
    let pair = try await client.modify([node("a", in: "b"), node("b", in: "a")])
    #expect(pair.map { $0.error?.code } == [.referenceViolation, .referenceViolation])
    let chain = [node("a"), node("b", in: "a"), node("c", in: "b"), node("d", in: "c")]
    #expect(try await client.modify(chain).allSatisfy { $0.error == nil })
    for name in ["a", "b", "c", "d"] {
      let refused = try await client.modify([node("a", in: name)])[0].error
      #expect(refused?.code == .referenceViolation, "\(name)")
      #expect(refused?.message.contains("'a'") == true)
    }
    let names = ["a", "b", "c", "d"]
    #expect(try await parents(client, names) == ["b": "a", "c": "b", "d": "c"])
    // The state that the call leaves counts: the tree is turned round.
    let removed = TidingsV1.Record(
      recordID: .init("d"),
      recordType: "Nodes",
      parent: .init(recordID: .init())
    )
    let turned = try await client.modify([
      node("a", in: "b"), node("b", in: "c"), node("c", in: "d"), removed,
    ])
    #expect(turned.allSatisfy { $0.error == nil }, "\(turned)")
    #expect(try await parents(client, names) == ["a": "b", "b": "c", "c": "d"])
    // What a failing item would have made room for stays.
    let failing = try await client.modify([
      node("d", in: "a"),
      .init(
        recordID: .init("c"),
        recordType: "Nodes",
        fields: ["bad name": 1],
        parent: .init(recordID: .init())
      ),
    ])
    #expect(failing.map { $0.error?.code } == [.referenceViolation, .invalidArguments])
  }

  @Test("random moves leave a tree, as a plain model has it")
  func randomMoves() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    var random = SplitMix64(seed: Seed.make("parents"))
    let names = (0..<8).map { "n\($0)" }
    _ = try await client.modify(names.map { node($0) })
    var model: [String: String] = [:]
    for round in 0..<150 {
      var moved: [String: String] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        moved[random.pick(names)] = random.pick(names)
      }
      let next = model.merging(moved) { $1 }
      let isTree = names.allSatisfy { name in
        var (above, steps) = (next[name], 0)
        while let current = above, steps <= names.count {
          (above, steps) = (next[current], steps + 1)
        }
        return above == nil
      }
      let results = try await client.modify(
        moved.map { node($0.key, in: $0.value) },
        atomic: true
      )
      #expect(results.allSatisfy { $0.error == nil } == isTree, "round \(round): \(moved)")
      if isTree { model = next }
      #expect(try await parents(client, names) == model, "round \(round)")
    }
  }

  @Test("null removes the parent: in a file that is saved, imported, and by an editor")
  func removal() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let folder = try TemporaryFolder()
    let json = #"{"recordType":"Nodes","recordName":"b","fields":{},"parent":null}"#
    try folder.write(Array((json + "\n").utf8), to: "b.jsonl")
    for arguments in [
      ["modify-records", "--save-policy", "changed-keys", "--save", json],
      ["records", "put", "--save-policy", "changed-keys", folder.file("b.jsonl")],
      ["import", folder.file("b.jsonl")],
      ["records", "edit", "b", "--editor", #"sed -i 's/"parent": "a"/"parent": null/'"#],
      ["records", "edit", "b", "--editor", #"sed -i '/"parent": "a"/d'"#],
    ] {
      _ = try await client.modify([node("a"), node("b", in: "a")])
      let run = await RpcctlRun(server, arguments)
      #expect(run.exitCode == .success, "\(arguments): \(run.err)")
      #expect(try await parents(client, ["b"]) == [:], "\(arguments): \(run.err)")
    }
    // What says nothing of the parent leaves it.
    _ = try await client.modify([node("b", in: "a")])
    let other = #"{"recordType":"Nodes","recordName":"b","fields":{"n":1}}"#
    _ = await RpcctlRun(server, ["modify-records", "--policy", "changed-keys", "--save", other])
    #expect(try await parents(client, ["b"]) == ["b": "a"])
  }
}

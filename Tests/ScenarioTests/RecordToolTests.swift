import TestSupport
import Testing

@testable import rpcctl

/// The command line's nouns against a real server: records, zones, changes.
@Suite(.endsServers) struct RecordToolTests {
  @Test("a record is set, edited, compared, waited for and deleted")
  func record() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) async -> RpcctlRun { await RpcctlRun(server, arguments) }

    let none = await run("records", "set", "h1", "price:=1")
    #expect(none.exitCode == .notFound && none.err.contains("create it with --type TYPE"))
    _ = await run("records", "set", "h1", "--type", "Houses", "city=Rome", "price:=1", "note=x")
    try folder.write(Array("a picture".utf8), to: "a.jpg")
    let set = await run(
      "records",
      "set",
      "h1",
      "price:=2",
      "note:=null",
      "photo@\(folder.file("a.jpg"))"
    )
    #expect(set.exitCode == .success, "\(set.err)")
    let stored = await run("records", "get", "h1")
    #expect(stored.out.contains(#""fields":{"city":"Rome","photo":{"asset":{"#), "\(stored.out)")
    #expect(stored.out.contains(#""size":9"#) && stored.out.contains(#""price":2}"#))
    try folder.write(Array(stored.out.utf8), to: "h1.json")
    #expect(await run("records", "count", "Houses").out == #"{"count":1}"# + "\n")

    // Only what was changed is sent.
    let edit = await run("records", "edit", "h1", "--editor", "sed -i 's/Rome/Paris/'")
    #expect(edit.exitCode == .success, "\(edit.err)")
    let same = await run("records", "edit", "h1", "--editor", "true")
    #expect(same.err.contains("no changes"))
    let diff = await run("records", "diff", folder.file("h1.json"))
    #expect(diff.exitCode == .conditionNotMet && diff.lines.count == 1)
    #expect(diff.out.contains(#""fields":{"city":{"new":"Rome","stored":"Paris"}}"#), "\(diff.out)")
    let put = await run("records", "put", "--policy", "changed-keys", folder.file("h1.json"))
    #expect(put.exitCode == .success, "\(put.err)")
    #expect(await run("records", "diff", "--exact", folder.file("h1.json")).exitCode == .success)

    #expect(await run("records", "delete", "h1").exitCode == .success)
    #expect(await run("records", "wait", "h1", "--for", "gone").exitCode == .success)
  }

  @Test("an edit never overwrites: both versions are shown, and the text is kept")
  func conflict() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    _ = await RpcctlRun(server, ["records", "set", "h1", "--type", "Houses", "price:=1"])
    try folder.write(Array("wait".utf8), to: "gate")
    // The editor holds on until somebody else has saved.
    let script =
      "while [ -e '\(folder.file("gate"))' ]; do sleep 0.01; done; sed -i 's/: 1$/: 3/' \"$1\""
    try folder.write(Array("touch '\(folder.file("open"))'; \(script)".utf8), to: "editor.sh")
    async let edit = RpcctlRun(
      server,
      ["records", "edit", "h1", "--editor", "sh '\(folder.file("editor.sh"))'"],
      format: .table
    )
    try await waitUntil("the editor to be open") { AtomicFile.exists(folder.file("open")) }
    _ = await RpcctlRun(server, ["records", "set", "h1", "price:=2"])
    AtomicFile.remove(folder.file("gate"))
    let run = await edit
    #expect(run.exitCode == .itemsFailed)
    #expect(run.out.contains("SERVER_RECORD_CHANGED"), "\(run.out)")
    let row = run.lines.first { $0.hasPrefix("price ") }
    #expect(row?.split(separator: " ") == ["price", "3", "2", "1"], "\(run.out)")
    let words = run.err.split(whereSeparator: \.isWhitespace)
    let path = words.first { $0.hasSuffix(".json") }.map(String.init) ?? ""
    let kept = try Input.system.read(path)
    #expect(String(decoding: kept, as: UTF8.self).contains(#""price": 3"#))
    #expect(await RpcctlRun(server, ["records", "get", "h1"]).out.contains(#""price":2"#))
    // What it says to do saves the text, though its change tag is old.
    let put = await RpcctlRun(server, ["records", "put", path, "--save-policy", "changed-keys"])
    #expect(put.exitCode == .success, "\(put.err)")
    #expect(await RpcctlRun(server, ["records", "get", "h1"]).out.contains(#""price":3"#))
    AtomicFile.remove(path)
  }

  @Test("a wait ends when the record meets the condition, without polling")
  func wait() async throws {
    let server = try await TestServer.start()
    async let awaited = RpcctlRun(server, ["records", "wait", "j1", "--for", "state == 'done'"])
    async let anyOne = RpcctlRun(
      server,
      ["records", "wait", "--type", "Jobs", "--for", "state == 'done'"]
    )
    for state in ["new", "running", "done"] {
      _ = await RpcctlRun(server, ["records", "set", "j1", "--type", "Jobs", "state=\(state)"])
    }
    for run in [await awaited, await anyOne] {
      #expect(run.exitCode == .success, "\(run.err)")
      #expect(run.out.contains(#""fields":{"state":"done"}"#))
    }
    let late = await RpcctlRun(
      server,
      ["records", "wait", "j1", "--for", "state == 'new'", "--timeout", "1s"]
    )
    #expect(
      late.exitCode == .conditionNotMet && late.out.isEmpty && late.err.contains("is not met")
    )
  }

  @Test("a copy brings over what differs, resumes where it was, and is compared; a purge empties")
  func copy() async throws {
    let server = try await TestServer.start()
    let other = try await TestServer.start()
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) async -> RpcctlRun { await RpcctlRun(server, arguments) }
    let lines = (1...900).map { number in
      // The first half refers to the second: targets come later.
      let target =
        number <= 450
        ? #","r":{"reference":{"recordName":"n\#(901 - number)","action":"validate"}}"# : ""
      return
        #"{"recordType":"N","recordName":"n\#(number)","zoneName":"notes","fields":{"a":\#(number)\#(target)}}"#
    }
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "n.jsonl")
    #expect(await run("import", folder.file("n.jsonl")).exitCode == .success)
    try folder.write(Array("a picture".utf8), to: "a.jpg")
    _ = await run("records", "set", "n1", "--zone", "notes", "photo@\(folder.file("a.jpg"))")

    let state = folder.file("copy.state")
    let there = ["--to-endpoint", other.rpcEndpoint, "--to-as", "bob", "--state", state]
    let first = await RpcctlRun(server, ["zones", "copy", "notes", "archive"] + there)
    #expect(
      first.out == #"{"saved":900,"deleted":0,"unchanged":0,"failed":0}"# + "\n",
      "\(first.err)"
    )
    _ = await run("records", "set", "n2", "--zone", "notes", "a:=-2")
    _ = await run("records", "delete", "n3", "--zone", "notes")
    let second = await RpcctlRun(server, ["zones", "copy", "notes", "archive"] + there)
    #expect(
      second.out == #"{"saved":1,"deleted":1,"unchanged":0,"failed":0}"# + "\n",
      "\(second.err)"
    )
    // Without the file all is looked at, and nothing is written.
    let again = await RpcctlRun(server, ["zones", "copy", "notes", "archive"] + there.dropLast(2))
    #expect(
      again.out == #"{"saved":0,"deleted":0,"unchanged":899,"failed":0}"# + "\n",
      "\(again.err)"
    )
    let wrong = await RpcctlRun(server, ["zones", "copy", "notes", "elsewhere"] + there)
    #expect(wrong.exitCode == .usage && wrong.err.contains("belongs to a copy of"))

    let with = ["--with-endpoint", other.rpcEndpoint, "--with-as", "bob"]
    let same = await RpcctlRun(server, ["changes", "compare-checksum", "notes", "archive"] + with)
    #expect(
      same.exitCode == .success && same.out.contains(#""isSame":true"#),
      "\(same.out)\(same.err)"
    )
    _ = await RpcctlRun(other, ["records", "set", "n5", "--zone", "archive", "a:=0"], as: "bob")
    let differs = await RpcctlRun(
      server,
      ["changes", "compare-checksum", "notes", "archive"] + with
    )
    #expect(
      differs.exitCode == .conditionNotMet && differs.out.contains(#""differing":["n5"]"#),
      "\(differs.out)"
    )

    let gaps = await run("changes", "gaps", "notes")
    #expect(gaps.exitCode == .success && gaps.out.contains(#""records":899"#), "\(gaps.out)")
    let stats = await run("zones", "stats", "notes")
    #expect(stats.out.contains(#""records":899,"types":{"N":{"records":899}}"#), "\(stats.out)")
    #expect(await run("zones", "purge", "notes").exitCode == .localFailure)
    let purge = await run("zones", "purge", "notes", "--yes")
    #expect(purge.exitCode == .success && purge.out.contains(#"{"deleted":"#), "\(purge.out)")
    #expect(await run("zones", "stats", "notes").out.contains(#""records":0"#))
  }

  @Test("a tail shows what changes in all zones, those that are new and those that go")
  func tail() async throws {
    let server = try await TestServer.start()
    _ = await RpcctlRun(server, ["records", "set", "old", "--type", "T", "a=1"])
    async let tail = RpcctlRun(server, ["changes", "tail", "--count", "3"])
    // It begins with now: what it misses is saved again until it is there.
    let writer = Task {
      var number = 0
      while !Task.isCancelled {
        number += 1
        _ = await RpcctlRun(server, ["zones", "create", "z\(number)"])
        _ = await RpcctlRun(
          server,
          ["records", "set", "r\(number)", "--zone", "z\(number)", "--type", "T", "a=1"]
        )
      }
    }
    let run = await tail
    writer.cancel()
    await writer.value
    #expect(run.exitCode == .success && run.lines.count == 3, "\(run.out)\(run.err)")
    #expect(!run.out.contains("old") && run.lines.allSatisfy { $0.contains(#""zoneName":"z"#) })
  }
}

import RandomSupport
import TestSupport
import Testing
import TidingsProto

@testable import rpcctl

@Suite struct ExportVerbTests {
  private static func server(_ random: inout SplitMix64) -> MemoryServer {
    let server = MemoryServer()
    let zones = ["_defaultZone", "empty", "notes"]
    server.change { state in
      state.zones = ["empty", "notes"]
      for number in 0..<30 {
        let zone = random.below(2) == 0 ? zones[0] : zones[2]
        let id = TidingsV1.RecordID(recordName: "h\(number)", zoneID: .init(zoneName: zone))
        state.records[MemoryServer.key(id)] = .init(
          recordID: id,
          recordType: number % 3 == 0 ? "A" : "B",
          fields: ["n": .init(value: .int64Value(Int64(number)))]
        )
      }
    }
    return server
  }

  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  @Test("all zones with their markers, the header first and the number of records last")
  func all() async throws {
    var random = SplitMix64(seed: 1)
    let server = Self.server(&random)
    let run = await server.run(["export", "-O", "-"])
    #expect(run.exitCode == .success)
    let lines = Self.lines(Array(run.out.utf8))
    #expect(
      lines[0].hasPrefix(
        #"{"tidings":"export","version":1,"container":"default","environment":"DEVELOPMENT","scope":"PRIVATE","exported":""#
      )
    )
    #expect(lines[1] == #"{"tidings":"zone","zoneName":"_defaultZone"}"#)
    #expect(lines.contains(#"{"tidings":"zone","zoneName":"empty"}"#))
    #expect(lines.last == #"{"tidings":"end","records":30}"#)
    #expect(lines.count { $0.hasPrefix(#"{"recordType":"#) } == 30)
  }

  @Test("one zone, and some types")
  func some() async throws {
    var random = SplitMix64(seed: 2)
    let server = Self.server(&random)
    let run = await server.run(["export", "-O", "-", "--zone", "notes", "--type", "A"])
    let expected = server.now.records.values.count {
      $0.recordType == "A" && $0.recordID?.zoneID?.zoneName == "notes"
    }
    #expect(Self.lines(Array(run.out.utf8)).last == #"{"tidings":"end","records":\#(expected)}"#)
    #expect(expected > 0 && !run.out.contains(#""recordType":"B""#))
  }

  @Test("exported records can be imported")
  func roundTrip() async throws {
    var random = SplitMix64(seed: 3)
    let source = Self.server(&random)
    let file = try TemporaryFolder().file("all.jsonl")
    let export = await source.run(["export", "-O", file])
    #expect(export.exitCode == .success, "\(export.err)")
    let target = MemoryServer()
    let run = await target.run(["import", file])
    #expect(run.exitCode == .success && run.err.isEmpty, "\(run.err)")
    #expect(target.now.zones == ["notes", "empty"])
    #expect(target.now.records.keys.sorted() == source.now.records.keys.sorted())
    #expect(
      target.now.records.mapValues(\.fields) == source.now.records.mapValues(\.fields)
    )
  }

  @Test("an export that was interrupted anywhere can be resumed")
  func resumes() async throws {
    let seed = Seed.make("ExportVerb.resumes")
    var random = SplitMix64(seed: seed)
    let server = Self.server(&random)
    let folder = try TemporaryFolder()
    let file = folder.file("e")
    _ = await server.run(["export", "-O", file])
    let whole = try folder.read("e")
    for _ in 0..<40 {
      try folder.write(Array(whole.prefix(Int(random.below(whole.count)))), to: "e")
      server.change { $0.feedFailsFromCall = $0.feedCallCount + 1 + Int(random.below(12)) }
      let broken = await server.run(["export", "-O", file, "--resume"])
      server.change { $0.feedFailsFromCall = .max }
      let run = await server.run(["export", "-O", file, "--resume"])
      #expect(run.exitCode == .success, "\(run.err), seed \(seed)")
      let (a, b) = (Self.lines(try folder.read("e")), Self.lines(whole))
      #expect(a.dropFirst() == b.dropFirst(), "seed \(seed), after \(broken.err)")
    }
    let again = await server.run(["export", "-O", file, "--resume"])
    #expect(again.err == "\(file) is complete: 30 records\n")
  }

  @Test("a file that is not this export is not overwritten")
  func otherFile() async throws {
    let server = MemoryServer()
    let folder = try TemporaryFolder()
    try folder.write(Array("{\"recordType\":\"T\"}\n".utf8), to: "e")
    let other = await server.run(["export", "-O", folder.file("e"), "--resume"])
    #expect(other.exitCode == .usage && other.err.contains("is not an export"))
    #expect(try folder.read("e").count == 19)
    _ = await server.run(["export", "-O", folder.file("x")])
    let zone = await server.run(["export", "-O", folder.file("x"), "--resume", "--zone", "z"])
    #expect(zone.exitCode == .usage && zone.err.contains("is an export of"))
  }

  @Test("importing an incomplete export prints a warning")
  func brokenOff() async throws {
    let server = MemoryServer()
    let run = await server.run(
      ["import", "-"],
      input: #"{"tidings":"export","version":1}"# + "\n"
    )
    #expect(run.err.contains("the export in the file is incomplete"))
    let newer = await server.run(
      ["import", "-"],
      input: #"{"tidings":"export","version":2}"# + "\n"
    )
    #expect(newer.exitCode == .localFailure && newer.err.contains("version 2"))
  }

  @Test("an interruption keeps complete pages and shows how to resume")
  func interrupted() async throws {
    var random = SplitMix64(seed: 5)
    let server = Self.server(&random)
    let folder = try TemporaryFolder()
    let arguments = ["export", "-O", folder.file("f")]
    let run = try await server.run(arguments, interruptedAtCall: 4)
    #expect(run.exitCode == .interrupted)
    #expect(
      run.err.hasPrefix("rpcctl: interrupted: ") && run.err.hasSuffix("continue with --resume\n")
    )
    #expect(try !folder.read("f").isEmpty)
    let rest = await server.run(arguments + ["--resume"])
    #expect(rest.exitCode == .success)
    #expect(Self.lines(try folder.read("f")).last == #"{"tidings":"end","records":30}"#)
  }
}

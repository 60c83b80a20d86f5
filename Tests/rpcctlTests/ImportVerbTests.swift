import RandomSupport
import TestSupport
import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ImportVerbTests {
  private static func line(_ name: String, _ type: String = "T", to target: String? = nil) -> String
  {
    let reference = target.map {
      #","r":{"reference":{"recordName":"\#($0)","action":"validate"}}"#
    }
    return #"{"recordType":"\#(type)","recordName":"\#(name)","fields":{"a":1\#(reference ?? "")}}"#
      + "\n"
  }

  private static func file(_ text: String) throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "f")
    return (folder, folder.file("f"))
  }

  @Test("records are saved in batches; zones are created")
  func saves() async throws {
    let server = MemoryServer()
    let text =
      (1...25).map { Self.line("h\($0)") }.joined()
      + #"{"recordType":"T","recordName":"x","zoneName":"z"}"# + "\n\n"
    let (folder, file) = try Self.file(text)
    let run = await server.run(["import", file, "--batch", "10"])
    #expect(run.exitCode == .success && run.err.isEmpty)
    #expect(run.out.hasPrefix(#"{"saved":26,"deleted":0,"failed":0,"#))
    #expect(server.now.records.count == 26 && server.now.callCount == 3)
    #expect(server.now.zones == ["z"])
    #expect(throws: (any Error).self) { try folder.read("f.progress") }
  }

  @Test("a file of a later format is rejected, and leaves no progress file")
  func laterFormat() async throws {
    let (folder, file) = try Self.file(#"{"tidings":"export","version":99}"# + "\n")
    let run = await MemoryServer().run(["import", file])
    #expect(run.exitCode == .localFailure && run.err.contains("version 99"))
    #expect(throws: (any Error).self) { try folder.read("f.progress") }
  }

  @Test("failures are reported with their line, the rest is saved")
  func errors() async throws {
    let server = MemoryServer()
    let text =
      Self.line("a") + "nonsense\n" + Self.line("b", "Bad") + Self.line("c", "Poison")
      + Self.line("d") + "{}\n"
    let (folder, file) = try Self.file(text)
    let run = await server.run(["import", file])
    #expect(run.exitCode == .itemsFailed)
    #expect(server.now.records.keys.sorted() == ["_defaultZone/a", "_defaultZone/d"])
    let lines = run.err.split(separator: "\n").map { $0.dropFirst(file.count) }.sorted()
    #expect(
      lines == [
        ", line 2: invalid JSON, column 1: expected a value",
        ", line 3: record 'b': INVALID_ARGUMENTS: bad",
        ", line 4: INVALID_ARGUMENT: poison", ", line 6: recordType is required",
      ]
    )
    #expect(run.out.hasPrefix(#"{"saved":2,"deleted":0,"failed":4,"#))
    let toFile = await server.run(["import", file, "--errors", folder.file("e")])
    #expect(toFile.err.isEmpty)
    let errors = String(decoding: try folder.read("e"), as: UTF8.self)
    #expect(errors.split(separator: "\n").count == 4)
    #expect(
      errors.contains(
        #"{"line":3,"recordName":"b","error":{"code":12,"name":"INVALID_ARGUMENTS","message":"bad"}}"#
      )
    )
  }

  @Test("targets of references may follow later, in any order and depth")
  func references() async throws {
    let server = MemoryServer()
    let forward = (1..<60).map { Self.line("h\($0)", to: "h\($0 + 1)") }.joined() + Self.line("h60")
    let (_, file) = try Self.file(forward + Self.line("lost", to: "nowhere"))
    let run = await server.run(["import", file, "--batch", "7"])
    #expect(server.now.records.count == 60)
    #expect(run.exitCode == .itemsFailed)
    #expect(run.err == "\(file), line 61: record 'lost': REFERENCE_VIOLATION: no target\n")
    #expect(run.out.hasPrefix(#"{"saved":60,"deleted":0,"failed":1,"#))
  }

  @Test("the last of several lines of one record counts")
  func repeated() async throws {
    let server = MemoryServer()
    var text = ""
    for number in 1...30 {
      text += #"{"recordType":"T","recordName":"h","fields":{"n":\#(number)}}"# + "\n"
    }
    text += #"{"tidings":"deleted","recordName":"h","zoneName":"_defaultZone"}"# + "\n"
    text +=
      #"{"recordType":"T","recordName":"h","zoneName":"_defaultZone","fields":{"n":0}}"# + "\n"
    let run = await server.run(["import", "-"], input: text)
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(server.now.records.values.map { $0.fields["n"] } == [.init(value: .int64Value(0))])
  }

  @Test("a record that waits for its target is superseded by a later line")
  func superseded() async throws {
    let server = MemoryServer()
    let text = Self.line("a", to: "t") + Self.line("b") + Self.line("a", "New") + Self.line("t")
    let run = await server.run(["import", "-", "--batch", "1", "--in-flight", "1"], input: text)
    #expect(run.exitCode == .success)
    #expect(server.now.records["_defaultZone/a"]?.recordType == "New")
  }

  @Test("an import that is interrupted anywhere can be resumed; nothing is applied twice")
  func resumes() async throws {
    let seed = Seed.make("ImportVerb.resumes")
    var random = SplitMix64(seed: seed)
    for _ in 0..<30 {
      let server = MemoryServer()
      let count = 20 + Int(random.below(60))
      let text = (1...count).map { number in
        let target = Int(random.below(count)) + 1
        return random.below(5) == 0
          ? Self.line("h\(number)", to: target == number ? nil : "h\(target)")
          : Self.line("h\(number)")
      }.joined()
      let (folder, file) = try Self.file(text)
      let arguments = [
        "import", file, "--batch", "4", "--in-flight", "3", "--errors", folder.file("e"),
      ]
      var breaks = 0
      server.change { $0.failsFromCall = 1 + Int(random.below(6)) }
      var run = await server.run(arguments)
      while run.exitCode != .success && run.exitCode != .itemsFailed {
        breaks += 1
        #expect(run.exitCode == .failedCall(.internal), "\(run.err), seed \(seed)")
        let again = await server.run(arguments)
        #expect(again.exitCode == .usage && again.err.contains("--resume"))
        server.change {
          $0.failsFromCall = $0.callCount + 1 + Int(random.below(8))
          $0.losesAnswer = Bool.random(using: &random)
        }
        run = await server.run(arguments + ["--resume"])
        guard breaks < 200 else {
          Issue.record("it does not come to an end, seed \(seed)")
          return
        }
      }
      #expect(server.now.writes.values.allSatisfy { $0 == 1 }, "seed \(seed)")
      let whole = MemoryServer()
      _ = await whole.run(["import", "-"], input: text)
      #expect(server.now.records == whole.now.records, "seed \(seed)")
      #expect(
        run.out.hasPrefix(#"{"saved":\#(whole.now.records.count),"#),
        "\(run.out) seed \(seed)"
      )
    }
  }

  @Test("an interruption keeps the progress and shows how to resume")
  func interrupted() async throws {
    let server = MemoryServer()
    let (folder, file) = try Self.file((1...20).map { Self.line("h\($0)") }.joined())
    let arguments = ["import", file, "--batch", "4", "--in-flight", "1"]
    let run = try await server.run(arguments, interruptedAtCall: 4)
    #expect(run.exitCode == .interrupted && run.out.isEmpty)
    #expect(
      run.err
        == "rpcctl: interrupted: 12 records saved, complete up to line 12; continue with --resume\n"
    )
    #expect(try !folder.read("f.progress").isEmpty)
    let rest = await server.run(arguments + ["--resume"])
    #expect(rest.exitCode == .success && rest.out.hasPrefix(#"{"saved":20,"#))
    #expect(server.now.writes.values.allSatisfy { $0 == 1 } && server.now.callCount == 5)
    let early = try await MemoryServer().run(["import", file], interruptedAtCall: 0)
    #expect(early.exitCode == .interrupted && early.err == "rpcctl: interrupted\n")
  }

  @Test("a single record is not reported as several")
  func plural() async {
    let server = MemoryServer()
    let run = await server.run(["-o", "table", "import", "-"], input: Self.line("a"))
    #expect(run.out.hasPrefix("1 record saved, 0 failed"))
  }

  @Test("progress of another file, or with other settings, is rejected")
  func otherProgress() async throws {
    let server = MemoryServer()
    let (folder, file) = try Self.file(Self.line("a"))
    server.change { $0.failsFromCall = 1 }
    _ = await server.run(["import", file])
    let other = await server.run(["import", file, "--resume", "--batch", "7"])
    #expect(other.exitCode == .usage && other.err.contains("--batch 400"), "\(other.err)")
    try folder.write(Array((Self.line("a") + Self.line("b")).utf8), to: "f")
    let changed = await server.run(["import", file, "--resume"])
    #expect(changed.exitCode == .usage && changed.err.contains("remove it to start again"))
    try folder.write(Array("{}".utf8), to: "f.progress")
    let broken = await server.run(["import", file, "--resume"])
    #expect(broken.exitCode == .usage && broken.err.contains("remove it"))
    let pipe = await server.run(["import", "-", "--resume"], input: "")
    #expect(pipe.exitCode == .usage)
  }
}

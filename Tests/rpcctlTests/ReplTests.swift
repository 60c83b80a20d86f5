import TestSupport
import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ReplTests {
  @Test(
    "lines are words as in a shell",
    arguments: [
      ("a  b", ["a", "b"]), ("", []), ("  # only a comment", []), ("a # b", ["a"]),
      ("a#b", ["a#b"]), (#"'a b' "c d""#, ["a b", "c d"]), (#"a\ b"#, ["a b"]),
      (#"'a\b'"#, [#"a\b"#]), (#""a\"b""#, [#"a"b"#]), ("''", [""]), ("x'y'z", ["xyz"]),
    ]
  )
  func words(line: String, words: [String]) throws {
    #expect(try ShellWords.complete(line) == words)
  }

  @Test("a quote that is open is told, and completed all the same")
  func open() {
    for line in ["a 'b", "a \"b c", "a b\\"] {
      #expect(throws: (any Error).self) { try ShellWords.complete(line) }
    }
    #expect(ShellWords("a 'b c").typed == ["a", "b c"])
    #expect(ShellWords("a ").typed == ["a", ""])
    #expect(ShellWords("").typed == [""])
  }

  @Test(
    "the history has no secrets",
    arguments: [
      ("records get h1", true), (" records get h1", false), ("", false),
      (#"modify-records --save '{"fields":{"pin":{"encrypted":"1234"}}}'"#, false),
      ("x --Secret y", false),
    ]
  )
  func history(line: String, isKept: Bool) {
    #expect(ReplHistory.keeps(line) == isKept)
  }

  @Test("the history is in a file of the user alone, and none where there is no home")
  func historyFile() throws {
    let folder = try TemporaryFolder()
    #expect(ReplHistory([:]).prepare() == nil)
    let path = try #require(ReplHistory(["XDG_STATE_HOME": folder.path]).prepare())
    #expect(path == folder.file("tidings/history") && AtomicFile.exists(path))
  }

  @Test("each line is run, with the options of repl unless it has them itself, until one fails")
  func lines() async throws {
    let text = """
      # health first
      server health
      rpcctl --container b schema get
      schema get

      server health x --bogus
      server health
      """
    let run = await ProgramRun(
      "--container",
      "a",
      "repl",
      files: ["-": text]
    ) { call throws(RPCError) in
      switch call.method.name {
      case "Check": return [TidingsRpcV1.CheckResponse(status: .serving).encoded()]
      case "FetchSchema":
        let request = try? TidingsV1.FetchSchemaRequest(decoding: call.request)
        return [TidingsV1.FetchSchemaResponse(text: "<\(request?.container ?? "")>").encoded()]
      default: throw RPCError(.unimplemented, call.method.name)
      }
    }
    #expect(run.exitCode == .usage && run.err.contains("unknown option '--bogus'"))
    #expect(run.out.contains("<b><a>"), "\(run.out)")
    #expect(run.calls.map(\.method.name) == ["Check", "FetchSchema", "FetchSchema"])
  }

  @Test("exit ends it, and it is not begun twice")
  func ends() async {
    let run = await ProgramRun("repl", files: ["-": "exit\nbogus\n"])
    #expect(run.exitCode == .success && run.calls.isEmpty && run.out.isEmpty)
    let twice = await ProgramRun("repl", files: ["-": "repl\n"])
    #expect(twice.exitCode == .usage && twice.err == "rpcctl: this is repl already\n")
  }
}

import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ReplTests {
  @Test(
    "lines are split into words as in a shell",
    arguments: [
      ("a  b", ["a", "b"]), ("", []), ("  # only a comment", []), ("a # b", ["a"]),
      ("a#b", ["a#b"]), (#"'a b' "c d""#, ["a b", "c d"]), (#"a\ b"#, ["a b"]),
      (#"'a\b'"#, [#"a\b"#]), (#""a\"b""#, [#"a"b"#]), ("''", [""]), ("x'y'z", ["xyz"]),
    ]
  )
  func words(line: String, words: [String]) throws {
    #expect(try ShellWords.complete(line) == words)
  }

  @Test("an unterminated quote is an error, but can be completed")
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

  @Test("the history file is readable by its owner only; there is none without a home directory")
  func historyFile() throws {
    let folder = try TemporaryFolder()
    #expect(ReplHistory([:]).prepare() == nil)
    let path = try #require(ReplHistory(["XDG_STATE_HOME": folder.path]).prepare())
    #expect(path == folder.file("tidings/history") && AtomicFile.exists(path))
  }

  @Test("each line is run, with the options of repl as defaults, until one fails")
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

  @Test("exit ends it, and it cannot be nested")
  func ends() async {
    let run = await ProgramRun("repl", files: ["-": "exit\nbogus\n"])
    #expect(run.exitCode == .success && run.calls.isEmpty && run.out.isEmpty)
    let twice = await ProgramRun("repl", files: ["-": "repl\n"])
    #expect(twice.exitCode == .usage && twice.err == "rpcctl: repl is already running\n")
  }

  @Test("destructive commands ask for confirmation in repl, too", arguments: ["n", "y"])
  func asks(answer: String) async {
    let typed = Mutex(["zones delete drafts", answer])
    let transport = ScriptedTransport(answer: ScriptedTransport.noAnswer)
    let messages = Recorder()
    let program = Program(
      ["repl"],
      environment: [:],
      input: Input { _ in [] },
      output: Output(
        format: .table,
        writeData: { _ in },
        writeMessage: { messages.append($0) }
      ),
      readLine: { typed.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
      connect: { _ in
        Session(
          transport: transport,
          notifications: { _, _ in ScriptedNotifications(list: [], staysOpen: false) }
        )
      }
    )
    #expect(await program.run() == .success)
    #expect(messages.text.contains("? [y/N] "), "\(messages.text)")
    let calls = transport.calls.map(\.method.name)
    #expect(calls.isEmpty == (answer == "n"), "\(calls)")
  }
}

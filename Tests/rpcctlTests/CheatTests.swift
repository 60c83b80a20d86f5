import TestSupport
import Testing

@testable import rpcctl

/// The examples by topic are valid commands.
@Suite struct CheatTests {
  @Test("each topic is a script of valid commands", arguments: Cheat.all.map(\.topic))
  func script(topic: String) async throws {
    let cheat = try #require(Cheat.all.first { $0.topic == topic })
    let folder = try TemporaryFolder()
    try folder.makeContexts("admin")
    let examples = HelpExampleTests.examples(in: cheat.text).filter { !$0.contains("$(") }
    #expect(examples.count >= 3)
    for example in examples {
      for command in HelpExampleTests.commands(example) where command.first == "rpcctl" {
        let run = await ProgramRun(
          // Files are written to the folder.
          list: command.dropFirst().prefix { $0 != ">" }.map {
            $0.hasSuffix(".key") || $0.hasSuffix(".state") || $0.hasSuffix("-sales.jsonl")
              ? folder.file($0) : $0
          },
          environment: ["XDG_CONFIG_HOME": folder.path],
          files: [
            "houses.ckdb": "DEFINE SCHEMA", "houses.json": #"{"recordType":"T","recordName":"a"}"#,
            "houses.jsonl": "",
          ]
        )
        #expect(run.exitCode != .usage, "\(command): \(run.err)")
      }
    }
  }

  @Test("each command of a script follows a comment")
  func comments() {
    for cheat in Cheat.all {
      #expect(cheat.text.hasPrefix("# "))
      #expect(
        cheat.text.split(separator: "\n").allSatisfy { $0.utf8.count <= 110 },
        "\(cheat.topic)"
      )
    }
  }

  @Test("topics are listed; an unknown one gets a suggestion")
  func topics() async {
    let list = await ProgramRun("cheat", format: .table)
    for cheat in Cheat.all { #expect(list.out.contains(cheat.topic)) }
    let one = await ProgramRun("cheat", "feeds")
    #expect(one.out == Cheat.feeds.text + "\n" && one.exitCode == .success)
    let none = await ProgramRun("cheat", "feed")
    #expect(none.err.hasPrefix("rpcctl: unknown topic 'feed'; did you mean feeds?"))
    #expect(none.exitCode == .usage && none.configuration == nil)
  }
}

extension TemporaryFolder {
  /// Creates contexts in this configuration folder.
  func makeContexts(_ names: String..., lines: String = "endpoint = tcp://127.0.0.1:1\n") throws {
    for name in names {
      try ContextFolder(["XDG_CONFIG_HOME": path]).write(lines, as: name)
    }
  }
}

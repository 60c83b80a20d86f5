import CommandLineTools
import Testing
import TidingsClient

@testable import rpcctl

@Suite struct CompleterTests {
  private func words(_ words: String...) -> [String] {
    let proposal = Completer(words).proposal
    let typed = Completer(words).typed(after: proposal.prefix)
    return proposal.candidates.map(\.word).filter { $0.hasPrefix(typed) }.map {
      proposal.prefix + $0
    }
  }

  @Test("verbs, and the words of groups with their aliases")
  func verbs() {
    #expect(words("fetch-r") == ["fetch-records"])
    #expect(words("rec") == ["records"])
    #expect(words("records", "ge") == ["get"])
    #expect(words("keys", "ring", "") == ["create", "add", "list"])
    #expect(words("--as", "ada", "-o", "json", "fetch-r") == ["fetch-records"])
    #expect(words("__") == [])
  }

  @Test("options of the verb and of all verbs, except those already given")
  func options() {
    #expect(words("fetch-records", "--des") == ["--desired-keys"])
    #expect(words("fetch-records", "--outp") == ["--output"])
    #expect(words("fetch-records", "-o", "json", "--outp") == [])
    #expect(words("fetch-zones", "--", "--outp") == [])
  }

  @Test("values of options, as one word, as two, and split as bash does")
  func values() {
    #expect(words("fetch-records", "-o", "js") == ["json", "jsonl"])
    #expect(words("fetch-records", "--output=js") == ["--output=json", "--output=jsonl"])
    #expect(words("fetch-records", "--output", "=", "js") == ["json", "jsonl"])
    #expect(words("fetch-records", "--output", "=") == ResultNotation.names)
    #expect(Completer(["fetch-records", "--zone", ""]).proposal.completion == .live("zones"))
    #expect(Completer(["--key-file", ""]).proposal.completion == .files)
  }

  @Test("operands, also after options with several values")
  func operands() {
    #expect(Completer(["context", "use", ""]).proposal.completion == .live("contexts"))
    #expect(Completer(["import", "a"]).proposal.completion == .files)
    let many = Completer(["modify-records", "--delete", "a", "b"])
    #expect(many.proposal.completion == .live("records"))
    #expect(many.given.map(\.name) == ["delete"] && many.given[0].values == ["a"])
  }

  @Test("candidates come from the server of the command line; failures are silent")
  func live() async {
    let run = await ProgramRun("__complete", "--", "--as", "ada", "fetch-zones", "")
    #expect(run.out == "none\n" && run.err.isEmpty && run.exitCode == .success)
    #expect(run.configuration?.user == "ada" && run.configuration?.retryCountMax == 0)
    let word = await ProgramRun("__complete", "--", "completion", "")
    #expect(word.out == "none\nbash\nzsh\nfish\n")
  }

  @Test("operands with fixed words: modes, operations, the words of verbs")
  func words() async {
    let bench = await ProgramRun("__complete", "--", "bench", "")
    #expect(bench.out.hasPrefix("none\nrpc\nwrite\n"))
    let operation = await ProgramRun("__complete", "--", "grants", "check", "bob", "")
    #expect(operation.out == "none\nread\ncreate\nwrite\ndelete\nsubscribe\n")
    let guest = await ProgramRun("__complete", "--", "grants", "check", "--guest", "r")
    #expect(guest.out == "none\nread\n")
    let group = await ProgramRun("__complete", "--", "help", "recor")
    #expect(group.out == "none\nrecords\n")
    let alias = await ProgramRun("__complete", "--", "man", "records", "ge")
    #expect(alias.out == "none\nget\n")
  }
}

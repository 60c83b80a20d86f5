import CommandLineTools
import Testing

@Suite struct HelpTests {
  private let endpoint = OptionKey<String>(
    "endpoint",
    value: "ENDPOINT",
    default: "tcp://a",
    "Where."
  )

  @Test("the help of a verb shows its own options")
  func verb() {
    let command = Command(
      "fetch",
      "Fetches.",
      operands: "NAME…",
      options: [Option](
        of: OptionKey<String?>("keys", letter: "k", value: "A,B", "Which fields.")
      ),
      discussion: "Example: fetch h1"
    )
    let help = Help(program: "tool", command: command)
    #expect(
      help.description == """
        Fetches.

        Usage: tool fetch [options] NAME…

        Example: fetch h1

        Options:
          -k, --keys A,B  Which fields.

        """
    )
  }

  @Test("a program's help lists its verbs")
  func program() {
    let help = Help(
      program: "tool",
      summary: "tool: does it.",
      sections: [HelpSection("Verbs", [Command("fetch", "Fetches.")])],
      options: [Option](of: endpoint),
      prefix: "TOOL"
    )
    #expect(help.description.contains("Verbs:\n  fetch  Fetches.\n"))
    #expect(help.description.contains("`tool help VERB` shows the help of a verb."))
  }

  @Test("general options are listed with their environment")
  func generalOptions() {
    let help = Help(program: "tool", options: [Option](of: endpoint), prefix: "TOOL")
    #expect(
      help.description == """
        The general options of tool, before or after the verb.

        General options (environment: TOOL_NAME):
          --endpoint ENDPOINT  Where. (default: tcp://a)

        """
    )
  }
}

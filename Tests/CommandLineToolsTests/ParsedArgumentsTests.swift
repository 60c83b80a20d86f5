import CommandLineTools
import Testing

@Suite struct ParsedArgumentsTests {
  private let options = [
    Option("endpoint", value: "ENDPOINT", default: "tcp://a", "Where."),
    Option("output", letter: "o", value: "FORMAT", choices: ["table", "json"], "How."),
    Option("delete", value: "ID", repeats: true, "Which."),
    Option(flag: "quiet", letter: "q", "Say less."),
  ]

  private func parse(
    _ arguments: [String],
    _ environment: [String: String] = [:]
  ) throws
    -> ParsedArguments
  {
    try ParsedArguments(arguments, options: options, environment: environment, prefix: "T")
  }

  @Test("options stand before, between and after operands")
  func anywhere() throws {
    let parsed = try parse(["-q", "fetch", "--endpoint", "tcp://b", "h1", "-o=json", "--", "-x"])
    #expect(parsed.operands == ["fetch", "h1", "-x"])
    #expect(parsed["endpoint"] == "tcp://b")
    #expect(parsed["output"] == "json")
    #expect(parsed.has("quiet"))
  }

  @Test("the command line wins over the environment, the environment over the default")
  func precedence() throws {
    #expect(try parse([])["endpoint"] == "tcp://a")
    #expect(try parse([], ["T_ENDPOINT": "tcp://c"])["endpoint"] == "tcp://c")
    #expect(try parse(["--endpoint=tcp://d"], ["T_ENDPOINT": "tcp://c"])["endpoint"] == "tcp://d")
  }

  @Test("repeated options keep their order; of others the last one wins")
  func repetition() throws {
    #expect(try parse(["--delete", "a", "--delete", "b"]).all("delete") == ["a", "b"])
    #expect(try parse(["--endpoint", "a", "--endpoint", "b"]).all("endpoint") == ["b"])
  }

  @Test("letters stand together, and a value may be attached", arguments: ["-qojson", "-qo=json"])
  func letters(text: String) throws {
    let parsed = try parse([text, "x"])
    #expect(parsed.has("quiet") && parsed["output"] == "json" && parsed.operands == ["x"])
    #expect(throws: UsageError("unknown option '-qx'")) { try parse(["-qx"]) }
    #expect(throws: UsageError("--quiet takes no value")) { try parse(["-q=1"]) }
  }

  @Test("a long option is not the value of the one before it")
  func valueIsNoOption() throws {
    #expect(throws: UsageError("--endpoint needs a value: --endpoint ENDPOINT")) {
      try parse(["--endpoint", "--quiet"])
    }
    #expect(try parse(["--endpoint=--quiet"])["endpoint"] == "--quiet")
    #expect(try parse(["--endpoint", "-5"])["endpoint"] == "-5")
  }

  @Test("mistakes say what would be right")
  func mistakes() {
    #expect(throws: UsageError("unknown option '--endpiont'; did you mean --endpoint?")) {
      try parse(["--endpiont", "x"])
    }
    #expect(throws: UsageError("--output takes table, json, not 'jsn'; did you mean json?")) {
      try parse(["--output", "jsn"])
    }
    #expect(throws: UsageError("--endpoint needs a value: --endpoint ENDPOINT")) {
      try parse(["--endpoint"])
    }
    #expect(throws: UsageError("T_OUTPUT takes table, json, not 'xml'")) {
      try parse([], ["T_OUTPUT": "xml"])
    }
  }

  @Test("negative numbers and a lone dash are operands")
  func dashes() throws {
    #expect(try parse(["-", "-5"]).operands == ["-", "-5"])
  }

  @Test("an option can take all values up to the next one")
  func manyValues() throws {
    let options = [
      Option("save", value: "NAME…", takesMany: true, "Which."),
      Option("delete", value: "NAME…", takesMany: true, "Which."),
      Option(flag: "quiet", letter: "q", "Say less."),
    ]
    let parsed = try ParsedArguments(
      ["--save", "a", "-", "-q", "--delete", "b", "c", "--save=d", "--", "e"],
      options: options,
      prefix: "T"
    )
    #expect(parsed.all("save") == ["a", "-", "d"])
    #expect(parsed.all("delete") == ["b", "c"])
    #expect(parsed.operands == ["e"])
    #expect(throws: UsageError("--save needs a value: --save NAME…")) {
      try ParsedArguments(["--save"], options: options, prefix: "T")
    }
  }

  @Test(
    "times have units",
    arguments: [
      ("500ms", .milliseconds(500)), ("10s", .seconds(10)), ("2m", .seconds(120)),
      ("1.5h", .seconds(5400)), ("7", .seconds(7)), ("0.25", .milliseconds(250)),
      ("1d", .seconds(86_400)),
    ] as [(String, Duration)]
  )
  func times(text: String, duration: Duration) throws {
    #expect(try parse(["--endpoint", text]).duration("endpoint") == duration)
  }

  @Test("what is no time is refused", arguments: ["", "s", "1x", "-1s", "0", "1e3s", "10 s"])
  func noTimes(text: String) throws {
    let parsed = try parse(["--endpoint=\(text)"])
    #expect(
      throws: UsageError("--endpoint takes a time like 500ms, 10s or 2m, not '\(text)'")
    ) { try parsed.duration("endpoint") }
  }
}

@Suite struct HelpTests {
  private let options = [Option("endpoint", value: "ENDPOINT", default: "tcp://a", "Where.")]

  @Test("a verb's help shows the environment of the common options only")
  func verb() {
    let command = Command(
      "fetch",
      "Fetches.",
      operands: "NAME…",
      options: [Option("keys", letter: "k", value: "A,B", "Which fields.")],
      discussion: "Example: fetch h1"
    )
    let help = Help(program: "tool", command: command, options: options, prefix: "TOOL")
    #expect(
      help.description == """
        Fetches.

        Usage: tool fetch [options] NAME…

        Example: fetch h1

        Options:
          -k, --keys A,B  Which fields.

        Options of every verb (environment: TOOL_NAME):
          --endpoint ENDPOINT  Where. (default: tcp://a)

        """
    )
  }

  @Test("a program's help lists its verbs")
  func program() {
    let help = Help(
      program: "tool",
      summary: "tool: does it.",
      sections: [HelpSection("Verbs", [Command("fetch", "Fetches.")])],
      options: options,
      prefix: "TOOL"
    )
    #expect(help.description.contains("Verbs:\n  fetch  Fetches.\n"))
    #expect(help.description.contains("`tool help VERB` tells more."))
  }
}

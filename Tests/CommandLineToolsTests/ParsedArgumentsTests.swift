import CommandLineTools
import Testing

@Suite struct ParsedArgumentsTests {
  private let options = [
    Option("endpoint", value: "ENDPOINT", default: "tcp://a", "Where."),
    Option("output", letter: "o", value: "FORMAT", choices: ["table", "json"], "How."),
    Option("delete", value: "ID", repeats: true, "Which."),
    Option(flag: "quiet", letter: "q", "Say less."),
  ]

  private func parse(_ arguments: [String], _ environment: [String: String] = [:]) throws
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

  @Test("repeated options keep their order; others may stand once")
  func repetition() throws {
    #expect(try parse(["--delete", "a", "--delete", "b"]).all("delete") == ["a", "b"])
    #expect(throws: UsageError("--endpoint stands twice")) {
      try parse(["--endpoint", "a", "--endpoint", "b"])
    }
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
}

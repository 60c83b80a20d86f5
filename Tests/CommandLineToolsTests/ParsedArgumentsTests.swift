import CommandLineTools
import Testing

@Suite struct ParsedArgumentsTests {
  private enum Format: String, CaseIterable { case table, json }

  private static let endpoint = OptionKey<String>(
    "endpoint",
    value: "ENDPOINT",
    default: "tcp://a",
    "Where."
  )
  private static let output = OptionKey<Format?>("output", letter: "o", value: "FORMAT", "How.")
  private static let delete = OptionKey<[String]>(list: "delete", value: "ID", "Which.")
  private static let quiet = OptionKey<Bool>(flag: "quiet", letter: "q", "Print less.")
  private static let time = OptionKey<Duration?>(time: "time", "How long.")
  private static let count = OptionKey<Int>(
    "count",
    value: "N",
    default: 2,
    in: 1...5,
    "How many."
  )

  private let options = [Option](
    of: Self.endpoint,
    Self.output,
    Self.delete,
    Self.quiet,
    Self.time,
    Self.count
  )

  private func parse(
    _ arguments: [String],
    _ environment: [String: String] = [:]
  ) throws
    -> ParsedArguments
  {
    try ParsedArguments(arguments, options: options, environment: environment, prefix: "T")
  }

  @Test("options are accepted before, between and after operands")
  func anywhere() throws {
    let parsed = try parse(["-q", "fetch", "--endpoint", "tcp://b", "h1", "-o=json", "--", "-x"])
    #expect(parsed.operands == ["fetch", "h1", "-x"])
    #expect(parsed[Self.endpoint] == "tcp://b")
    #expect(parsed[Self.output] == .json)
    #expect(parsed[Self.quiet])
  }

  @Test("the command line overrides the environment, the environment the default")
  func precedence() throws {
    #expect(try parse([])[Self.endpoint] == "tcp://a")
    #expect(try parse([], ["T_ENDPOINT": "tcp://c"])[Self.endpoint] == "tcp://c")
    #expect(
      try parse(["--endpoint=tcp://d"], ["T_ENDPOINT": "tcp://c"])[Self.endpoint] == "tcp://d"
    )
  }

  @Test("list options keep their order; of other options the last one wins")
  func repetition() throws {
    #expect(try parse(["--delete", "a", "--delete", "b"])[Self.delete] == ["a", "b"])
    #expect(try parse(["--endpoint", "a", "--endpoint", "b"])[Self.endpoint] == "b")
  }

  @Test("letters can be combined, and a value may be attached", arguments: ["-qojson", "-qo=json"])
  func letters(text: String) throws {
    let parsed = try parse([text, "x"])
    #expect(parsed[Self.quiet] && parsed[Self.output] == .json && parsed.operands == ["x"])
    #expect(throws: UsageError("unknown option '-qx'")) { try parse(["-qx"]) }
    #expect(throws: UsageError("--quiet takes no value")) { try parse(["-q=1"]) }
  }

  @Test("an option is not the value of the previous one", arguments: ["--quiet", "-q"])
  func valueIsNoOption(option: String) throws {
    #expect(throws: UsageError("--endpoint requires a value: --endpoint ENDPOINT")) {
      try parse(["--endpoint", option])
    }
    #expect(try parse(["--endpoint=\(option)"])[Self.endpoint] == option)
  }

  @Test("a value that starts with a dash must be attached, unless it is a number")
  func dashValues() throws {
    let message = """
      --endpoint requires a value: --endpoint ENDPOINT; write a value that starts with '-' as \
      --endpoint=-x
      """
    #expect(throws: UsageError(message)) { try parse(["--endpoint", "-x"]) }
    for number in ["-5", "-0.5", "-.5", "-"] {
      #expect(try parse(["--endpoint", number])[Self.endpoint] == number)
    }
  }

  @Test("a public key may start with a dash")
  func keys() throws {
    for key in [
      "-Yz9!4qk]w(3?a1{b2}c3@d4%e5$f6#g7&h8*i9j", "--9!4qk]w(3?a1{b2}c3@d4%e5$f6#g7&h8*i9jk",
    ] {
      #expect(key.count == 40)
      #expect(try parse(["--endpoint", key])[Self.endpoint] == key)
      #expect(try parse(["create", key]).operands == ["create", key])
    }
    // As long, and with characters of keys.
    let option = "--endpoint=abcdefghijklmnopqrstuvwxyz?a=1"
    #expect(option.count == 41)
    #expect(throws: Never.self) { try parse([String(option.dropLast())]) }
  }

  @Test("an option that names something has no empty value; a text may be empty")
  func emptyValues() throws {
    for words in [["--endpoint", ""], ["--endpoint="], ["--delete", "a", "--delete="]] {
      let error = #expect(throws: UsageError.self) { try parse(words) }
      #expect(error?.description.contains(" is empty: use --") == true, "\(words)")
    }
    let label = OptionKey<String?>("label", value: "TEXT", mayBeEmpty: true, "A label.")
    let parsed = try ParsedArguments(["--label="], options: [label.option], prefix: "T")
    #expect(parsed[label] == "")
    // An empty variable is as good as none.
    #expect(try parse([], ["T_ENDPOINT": ""])[Self.endpoint] == "tcp://a")
  }

  @Test("errors show what is expected")
  func mistakes() {
    #expect(throws: UsageError("unknown option '--endpiont'; did you mean --endpoint?")) {
      try parse(["--endpiont", "x"])
    }
    #expect(throws: UsageError("--output takes table, json, not 'jsn'; did you mean json?")) {
      try parse(["--output", "jsn"])
    }
    #expect(throws: UsageError("--endpoint requires a value: --endpoint ENDPOINT")) {
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
    let save = OptionKey<[String]>(list: "save", value: "NAME…", takesMany: true, "Which.")
    let delete = OptionKey<[String]>(list: "delete", value: "NAME…", takesMany: true, "Which.")
    let options = [Option](of: save, delete, Self.quiet)
    let parsed = try ParsedArguments(
      ["--save", "a", "-", "-q", "--delete", "b", "c", "--save=d", "--", "e"],
      options: options,
      prefix: "T"
    )
    #expect(parsed[save] == ["a", "-", "d"])
    #expect(parsed[delete] == ["b", "c"])
    #expect(parsed.operands == ["e"])
    #expect(throws: UsageError("--save requires a value: --save NAME…")) {
      try ParsedArguments(["--save"], options: options, prefix: "T")
    }
  }

  @Test(
    "durations have units",
    arguments: [
      ("500ms", .milliseconds(500)), ("10s", .seconds(10)), ("2m", .seconds(120)),
      ("1.5h", .seconds(5400)), ("7", .seconds(7)), ("0.25", .milliseconds(250)),
      ("1d", .seconds(86_400)),
    ] as [(String, Duration)]
  )
  func times(text: String, duration: Duration) throws {
    #expect(try parse(["--time", text])[Self.time] == duration)
  }

  @Test("invalid durations are rejected", arguments: ["", "s", "1x", "-1s", "0", "1e3s", "10 s"])
  func noTimes(text: String) throws {
    #expect(throws: UsageError("--time takes a time like 500ms, 10s or 2m, not '\(text)'")) {
      try parse(["--time=\(text)"])
    }
  }

  @Test("numbers must be in range")
  func numbers() throws {
    #expect(try parse([])[Self.count] == 2)
    #expect(try parse(["--count", "5"])[Self.count] == 5)
    for text in ["0", "6", "x", "1.5", "-1"] {
      #expect(throws: UsageError("--count takes a whole number from 1 to 5, not '\(text)'")) {
        try parse(["--count", text])
      }
    }
    #expect(throws: UsageError("T_COUNT takes a whole number from 1 to 5, not '9'")) {
      try parse([], ["T_COUNT": "9"])
    }
  }

  @Test("values of the command line are distinguished from others")
  func given() throws {
    let parsed = try parse(["--endpoint", "a"], ["T_COUNT": "3"])
    #expect(parsed.given(Self.endpoint) == "a" && parsed.given(Self.count) == nil)
    #expect(parsed.has(Self.count.option) && !parsed.has(Self.output.option))
    #expect(parsed.source(Self.count) == "T_COUNT" && parsed.source(Self.output) == "--output")
  }

  @Test("parsing continues after an error, so that later options apply")
  func errorIsKept() {
    let parsed = ParsedArguments(
      reading: ["--bogus", "x", "-ojson", "--count", "9"],
      options: options,
      environment: [:],
      prefix: "T"
    )
    #expect(parsed.error == UsageError("unknown option '--bogus'"))
    #expect(parsed[Self.output] == .json && parsed[Self.count] == 2 && parsed.operands == ["x"])
  }

  @Test("an undeclared option cannot be read")
  func undeclared() async {
    await #expect(processExitsWith: .failure) {
      let parsed = try ParsedArguments([], options: [], prefix: "T")
      _ = parsed[OptionKey<Bool>(flag: "quiet", "Print less.")]
    }
  }
}

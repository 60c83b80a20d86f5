import Testing

@testable import CommandLineTools

@Suite struct ConfigurationFileTests {
  private let level = OptionKey<String?>(
    "level",
    value: "LEVEL",
    choices: ["high", "low"],
    "How much."
  )
  private let count = OptionKey<Int?>("count", value: "N", in: 1...5, "How many.")

  private var options: [Option] { [Option](of: level, count) }

  private func parse(_ text: String) throws -> ParsedArguments {
    let settings = try ConfigurationFile.parse(
      text,
      of: "x.conf",
      allowing: options.map(\.name)
    )
    return try ParsedArguments([], options: options, prefix: "T", settings: settings)
  }

  @Test("lines set options")
  func values() throws {
    let parsed = try parse("# a comment\n\n level = low\ncount=3\n")
    #expect(parsed[level] == "low")
    #expect(parsed[count] == 3)
  }

  @Test("the error for an invalid value has its file and line")
  func wrongValues() throws {
    #expect(
      throws: UsageError("x.conf, line 2: level takes high, low, not 'lo'; did you mean low?")
    ) {
      try parse("\nlevel = lo\n")
    }
    #expect(
      throws: UsageError("x.conf, line 1: count takes a whole number from 1 to 5, not '9'")
    ) { try parse("count = 9") }
  }

  @Test("an invalid line, and an unknown name")
  func wrongLines() {
    #expect(throws: UsageError("x.conf, line 1: expected 'name = value', found 'level'")) {
      try parse("level")
    }
    #expect(throws: UsageError("x.conf, line 1: unknown name 'levl'; did you mean level?")) {
      try parse("levl = low")
    }
  }
}

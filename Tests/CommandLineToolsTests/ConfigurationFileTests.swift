import Testing

@testable import CommandLineTools

@Suite struct ConfigurationFileTests {
  private let options = [
    Option("level", value: "LEVEL", choices: ["high", "low"], "How much."),
    Option("count", value: "N", "How many."),
  ]

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
    #expect(parsed["level"] == "low")
    #expect(try parsed.number("count", in: 1...5) == 3)
  }

  @Test("a wrong value is named with its file and line")
  func wrongValues() throws {
    #expect(
      throws: UsageError("x.conf, line 2: level takes high, low, not 'lo'; did you mean low?")
    ) {
      try parse("\nlevel = lo\n")
    }
    let parsed = try parse("count = 9")
    #expect(
      throws: UsageError("x.conf, line 1: count takes a whole number from 1 to 5, not '9'")
    ) { try parsed.number("count", in: 1...5) }
  }

  @Test("a line that is none, and an unknown name")
  func wrongLines() {
    #expect(throws: UsageError("x.conf, line 1: expected 'name = value', found 'level'")) {
      try parse("level")
    }
    #expect(throws: UsageError("x.conf, line 1: unknown name 'levl'; did you mean level?")) {
      try parse("levl = low")
    }
  }
}

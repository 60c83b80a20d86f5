extension Command {
  /// Reads the words of a command line; prints help if it is wanted (`StandardOption.help`).
  ///
  /// - Parameters:
  ///   - words: What comes after the command's name.
  ///   - prefix: The prefix of environment variables in help.
  /// - Returns: `nil` when help was printed.
  /// - Throws: The first error; operands of a command that takes none are one.
  public func parse(
    _ words: ArraySlice<String>,
    prefix: String
  ) throws(UsageError) -> ParsedArguments? {
    guard let parsed = try parseOptions(words, environment: [:], prefix: prefix) else { return nil }
    try checkOperands(of: parsed)
    return parsed
  }

  /// Reads the words of a command line, with any operands; prints help if it is wanted.
  func parseOptions(
    _ words: ArraySlice<String>,
    environment: [String: String],
    prefix: String
  ) throws(UsageError) -> ParsedArguments? {
    let parsed = try ParsedArguments(
      Array(words),
      options: options,
      environment: environment,
      prefix: prefix
    )
    guard parsed[StandardOption.help] else { return parsed }
    print(Help(self, prefix: prefix), terminator: "")
    return nil
  }

  /// Refuses operands where there are none.
  func checkOperands(of parsed: ParsedArguments) throws(UsageError) {
    guard operands.isEmpty, let operand = parsed.operands.first else { return }
    throw UsageError("\(name) takes no operands, and got '\(operand)'")
  }
}

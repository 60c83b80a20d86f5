/// A program that runs until it is stopped, and what it reads its options from: the command line, its environment, and a
/// configuration file, in this order.
public struct ServiceProgram: Sendable {
  /// The program with all its options.
  public let command: Command
  /// The prefix of environment variables.
  public let environmentPrefix: String

  /// A program.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - summary: One line of help.
  ///   - environmentPrefix: The prefix of environment variables.
  ///   - options: Its own options; those that all have are added.
  ///   - discussion: Further help.
  public init(
    _ name: String,
    _ summary: String,
    environmentPrefix: String,
    options: [Option],
    discussion: String
  ) {
    self.environmentPrefix = environmentPrefix
    let standard = [Option](
      of: StandardOption.config,
      StandardOption.help,
      StandardOption.version,
      StandardOption.verbose
    )
    command = Command(name, summary, options: options + standard, discussion: discussion)
  }

  /// Reads the options; prints help, or the version, if that is wanted.
  ///
  /// - Parameters:
  ///   - words: The command line without the program's own name.
  ///   - version: The program's version.
  /// - Returns: `nil` when help or the version was printed.
  /// - Throws: The first error.
  public func parse(
    _ words: ArraySlice<String>,
    version: @autoclosure () -> ProgramVersion
  ) throws(UsageError) -> ParsedArguments? {
    let environment = ProgramArguments.environment(
      of: command.options,
      prefix: environmentPrefix
    )
    guard
      var parsed = try command.parseOptions(
        words,
        environment: environment,
        prefix: environmentPrefix
      )
    else { return nil }
    if parsed[StandardOption.version] {
      print(version().text(verbose: parsed[StandardOption.verbose]), terminator: "")
      return nil
    }
    try command.checkOperands(of: parsed)
    if let path = parsed[StandardOption.config] {
      let names = command.options.map(\.name)
      try parsed.fill(from: try ConfigurationFile.read(path, allowing: names))
    }
    return parsed
  }
}

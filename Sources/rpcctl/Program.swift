internal import CommandLineTools
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsProto
internal import TidingsRPC

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// rpcctl from its arguments to its exit code.
struct Program: Sendable {
  static let name = "rpcctl"
  static let version = Version.current

  private let arguments: [String]
  private let environment: [String: String]
  private let input: Input
  private let output: Output
  private let connect: @Sendable (ClientConfiguration) async throws -> Session

  /// A run of the real program.
  init(_ arguments: [String]) {
    var environment: [String: String] = [:]
    for option in Settings.options {
      let name = option.variable(prefix: Settings.environmentPrefix)
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    self.init(
      arguments,
      environment: environment,
      input: .system,
      output: .system,
      connect: Self.connect
    )
  }

  /// A run with all that is around it.
  init(
    _ arguments: [String],
    environment: [String: String],
    input: Input,
    output: Output,
    connect: @escaping @Sendable (ClientConfiguration) async throws -> Session
  ) {
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.output = output
    self.connect = connect
  }

  /// Begins to connect to a server.
  static func connect(_ configuration: ClientConfiguration) async throws -> Session {
    let client: Client
    do {
      client = try await Client(configuration)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      throw UsageError("--endpoint '\(configuration.endpoint)' cannot be used: \(error.message)")
    }
    return Session(
      transport: client.transport,
      notifications: { try client.notifications(from: $0, $1) }
    )
  }

  func run() async -> ExitCode {
    // The format is needed for errors too, whatever is wrong with the rest.
    let format = Self.requestedFormat(arguments, environment)
    let output = format.map(output.asked) ?? output
    do {
      return try await run(output)
    } catch {
      // What a call says when it is cancelled is beside the point.
      let isCancelled = Task.isCancelled && !(error is Interrupted)
      return output.fail(isCancelled ? Interrupted() : error)
    }
  }

  private func run(_ output: Output) async throws -> ExitCode {
    let (verbName, rest) = try Self.takeVerb(arguments)
    guard let verbName else { return try runWithoutVerb(output) }
    if !Verb.group(verbName).isEmpty, try parse(rest, Settings.options).has("help") {
      output.write(text: Self.help(group: verbName))
      return .success
    }
    let verb: Verb
    do {
      verb = try Verb.named(verbName)
    } catch {
      throw UsageError("\(error)\n`\(Self.name) help` lists the verbs.")
    }
    let parsed = try parse(rest, Settings.options + verb.command.options)
    if parsed.has("help") {
      output.write(text: Self.help(verb.command).description)
      return .success
    }
    let settings = try Settings(parsed)
    let invocation = Invocation(
      arguments: parsed,
      settings: settings,
      output: output,
      input: input,
      connect: { [connect] in
        if let refusal = settings.refusal { throw refusal }
        return try await connect(settings.client)
      }
    )
    return try await EncryptedFields.$sealer.withValue(
      verb.needsServer ? try await sealer(invocation) : nil
    ) {
      try await verb.run(invocation)
    }
  }

  /// What encrypts fields and opens them, if a key ring is named.
  private func sealer(_ invocation: Invocation) async throws -> FieldSealer? {
    let settings = invocation.settings
    guard let path = settings.keyRingPath else { return nil }
    let ring: KeyRing
    do {
      ring = try KeyRingFile(path: path).read()
    } catch {
      throw LocalFailure("\(error)")
    }
    var user = settings.client.user
    if user.isEmpty {
      let accounts = TidingsV1.AccountService.Client(try await invocation.connect().transport)
      user = try await accounts.fetchUserRecordID(
        .init(container: settings.container),
        options: invocation.callOptions
      ).userRecordName
    }
    return FieldSealer(ring, database: settings.databaseID, user: user)
  }

  private func runWithoutVerb(_ output: Output) throws -> ExitCode {
    let parsed = try parse(arguments, Settings.options)
    output.write(text: parsed.has("version") ? "\(Self.name) \(Self.version)\n" : Self.help)
    return .success
  }

  private func parse(
    _ arguments: [String],
    _ options: [Option]
  ) throws(UsageError)
    -> ParsedArguments
  {
    try ParsedArguments(
      arguments,
      options: options,
      environment: environment,
      prefix: Settings.environmentPrefix
    )
  }

  /// Takes the verb, which may have several words: `schema get`, `keys ring create`.
  private static func takeVerb(
    _ arguments: [String]
  ) throws(UsageError) -> (verb: String?, rest: [String]) {
    let (first, operands) = try splitVerb(arguments)
    guard var verb = first else { return (nil, operands) }
    var rest = operands
    while !Verb.group(verb).isEmpty {
      let (word, operands) = try splitVerb(rest)
      rest = operands
      guard let word else { break }
      verb += " \(word)"
    }
    return (verb, rest)
  }

  /// Takes the verb, the first word that is neither an option nor an option's value.
  private static func splitVerb(
    _ arguments: [String]
  ) throws(UsageError) -> (verb: String?, rest: [String]) {
    let known = Settings.options + Verb.all.flatMap(\.command.options)
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      guard argument.hasPrefix("-"), argument != "-" else {
        var rest = arguments
        rest.remove(at: index)
        return (argument, rest)
      }
      if argument == "--" {
        index += 1
        continue
      }
      let name = argument.prefix { $0 != "=" }
      let found = known.first { option in
        name == "--" + option.name || option.letter.map { name == "-\($0)" } ?? false
      }
      // Whether a word that follows is its value cannot be known: it must not pass for the verb.
      guard let option = found else {
        let near = nearest(to: String(name.drop { $0 == "-" }), among: known.map(\.name))
        throw UsageError(
          "unknown option '\(argument)'" + (near.map { "; did you mean --\($0)?" } ?? "")
        )
      }
      index += option.value == nil || name != argument ? 1 : 2
    }
    return (nil, arguments)
  }

  private static func requestedFormat(
    _ arguments: [String],
    _ environment: [String: String]
  ) -> OutputFormat? {
    var format = environment["RPCCTL_OUTPUT"]
    for (index, argument) in arguments.enumerated() {
      for name in ["--output", "-o"] {
        if argument == name, index + 1 < arguments.count { format = arguments[index + 1] }
        if argument.hasPrefix(name + "=") { format = String(argument.dropFirst(name.count + 1)) }
      }
    }
    return format.flatMap(OutputFormat.init)
  }

  /// The help of the program.
  static var help: String {
    Help(
      program: name,
      summary: "rpcctl: saves records, keeps subscriptions, watches notifications.",
      commands: Verb.all.map(\.command),
      options: Settings.options,
      prefix: Settings.environmentPrefix
    ).description + """

      Exit codes: 0 done, 1 failed here, 2 wrong usage, 3 a difference or a problem was found, 4 some
      items failed, 5 a command of --exec failed, 64 + status of a call that failed (for example 78:
      the server cannot be reached), 130 interrupted.

      """
  }

  /// The help of the verbs with one first word.
  static func help(group name: String) -> String {
    Help(
      program: Self.name,
      summary: "The verbs that begin with '\(name)':",
      commands: Verb.group(name).map(\.command),
      options: Settings.options,
      prefix: Settings.environmentPrefix
    ).description
  }

  /// The help of a verb.
  static func help(_ command: Command) -> Help {
    Help(
      program: name,
      command: command,
      options: Settings.options,
      prefix: Settings.environmentPrefix
    )
  }
}

internal import CommandLineTools
internal import Glibc
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// A run of rpcctl, from its arguments to its exit code.
struct Program: Sendable {
  static let name = "rpcctl"
  static let version = Version.current

  private let arguments: [String]
  private let environment: [String: String]
  private let input: Input
  private let output: Output
  private let program: ProgramEnvironment
  private let connect: @Sendable (ClientConfiguration) async throws -> Session

  /// A run in the real environment.
  init(_ arguments: [String]) {
    var environment: [String: String] = [:]
    let names = Settings.options.map { $0.variable(prefix: Settings.environmentPrefix) }
    let others =
      Colors.variables + ContextFolder.variables + Editor.variables + ReplHistory.variables
      + DefaultKeyRing.variables + [LiveCandidates.timeVariable]
    for name in names + others {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    let readLine: @Sendable () -> String? = { Swift.readLine() }
    self.init(
      arguments,
      environment: environment,
      input: .system,
      output: .system,
      readLine: isTerminal ? readLine : nil,
      connect: Self.connect
    )
  }

  /// A run in a given environment.
  init(
    _ arguments: [String],
    environment: [String: String],
    input: Input,
    output: Output,
    readLine: (@Sendable () -> String?)? = nil,
    connect: @escaping @Sendable (ClientConfiguration) async throws -> Session
  ) {
    program = ProgramEnvironment(environment: environment, readLine: readLine) {
      await Program(
        $0,
        environment: environment,
        input: input,
        output: $1,
        readLine: readLine,
        connect: connect
      ).run()
    }
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.output = output
    self.connect = connect
  }

  /// Starts to connect to a server.
  static func connect(_ configuration: ClientConfiguration) async throws -> Session {
    let client: Client
    do {
      client = try await Client(configuration)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      let endpoints = configuration.endpoints.joined(separator: ",")
      throw UsageError("invalid --endpoint '\(endpoints)': \(error.message)")
    }
    return Session(
      transport: client.transport,
      notifications: { try client.notifications(from: $0, $1) },
      connected: { patience throws(RPCError) in try await client.connected(within: patience) }
    )
  }

  func run() async -> ExitCode {
    let search = VerbSearch(arguments)
    let parsed = ParsedArguments(
      reading: search.rest,
      options: Settings.options + (search.verb?.command.options ?? []),
      environment: environment,
      prefix: Settings.environmentPrefix
    )
    var output = output
    // Errors have the format that was asked for, even usage errors.
    apply(parsed, to: &output)
    do {
      if let error = search.error { throw error }
      return try await run(search.name, parsed, &output)
    } catch {
      output.finish()
      // The error of a cancelled call does not matter.
      let isCancelled = Task.isCancelled && !(error is Interrupted)
      return output.fail(isCancelled ? Interrupted() : error)
    }
  }

  private func run(
    _ name: String?,
    _ parsed: ParsedArguments,
    _ output: inout Output
  ) async throws -> ExitCode {
    guard let name else {
      try parsed.check()
      return runWithoutVerb(parsed, output)
    }
    if !Verb.group(name).isEmpty, parsed[.help] {
      try parsed.check()
      output.write(text: Self.help(group: name))
      return .success
    }
    let verb: Verb
    do {
      verb = try Verb.named(name)
    } catch {
      throw UsageError("\(error)\n`\(Self.name) help` lists the verbs.")
    }
    try parsed.check()
    if parsed[.help] {
      output.write(text: Self.help(verb.command))
      return .success
    }
    var parsed = parsed
    if let context = try context(of: verb, parsed) { try parsed.fill(from: context.settings) }
    apply(parsed, to: &output, fields: try parsed[.fields].map(FieldSelection.init))
    if case .refused(let reason) = verb.dryRun, parsed[.dryRun] {
      throw UsageError("\(verb.command.name) does not support --dry-run: \(reason)")
    }
    return try await run(verb, parsed, output)
  }

  /// Returns the context with the defaults of options.
  private func context(of verb: Verb, _ parsed: ParsedArguments) throws -> SavedContext? {
    let folder = ContextFolder(environment)
    switch (verb.context, parsed.operands.first) {
    case (.none, _): return nil
    case (.operand, let name?):
      return try folder.read(name)
    case (.chosen, _), (.operand, nil): return try folder.chosen(parsed)
    }
  }

  private func run(
    _ verb: Verb,
    _ parsed: ParsedArguments,
    _ output: Output
  ) async throws -> ExitCode {
    let dryRun = Box<DryRunTransport>()
    let frames = FrameTracer(output, logsFrames: parsed[.trace])
    let invocation = Invocation(
      arguments: parsed,
      settings: try Settings(parsed),
      output: output,
      input: input,
      program: program,
      connectTo: { [connect] settings in
        if let refusal = settings.refusal { throw refusal }
        var client = settings.client
        if parsed[.trace] || parsed[.verbose] {
          client.observer = { frames.observe($0) }
        }
        var session = try await connect(client)
        session.transport = ConnectingTransport(
          session.transport,
          ConnectionWait(session, output),
          patience: client.connectTimeout
        )
        if parsed[.verbose] {
          session.transport = LoggingTransport(
            transport: session.transport,
            frames: frames,
            output: output
          )
        }
        if let key = parsed[.idempotencyKey] {
          session.transport = KeyedTransport(session.transport, key: key)
        }
        if parsed[.dryRun] {
          let transport = DryRunTransport(session.transport, output)
          dryRun.value = transport
          session.transport = transport
        }
        return session
      }
    )
    do {
      let exitCode = try await EncryptedFields.$sealer.withValue(
        verb.needsServer ? try await sealer(invocation, verb) : nil
      ) {
        try await verb.run(invocation)
      }
      finish(output, dryRun.value)
      return exitCode
    } catch {
      // The verb cannot continue after a call that was only previewed.
      guard dryRun.value?.hasEnded == true else { throw error }
      finish(output, dryRun.value)
      return .success
    }
  }

  private func finish(_ output: Output, _ dryRun: DryRunTransport?) {
    output.finish()
    if dryRun?.hasSkippedCalls == true { output.log("nothing was changed (--dry-run)") }
  }

  /// Applies the options for the format of results and messages.
  private func apply(
    _ parsed: ParsedArguments,
    to output: inout Output,
    fields: FieldSelection? = nil
  ) {
    output = output.using(
      parsed[.output].flatMap(ResultNotation.init) ?? .auto,
      fields: fields
    )
    output.colors = Colors(
      parsed[.color],
      environment: environment,
      terminals: output.terminals
    )
    output.isQuiet = parsed[.quiet]
    output.hidesProgress = parsed[.noProgress]
  }

  /// Returns what encrypts and decrypts fields.
  private func sealer(_ invocation: Invocation, _ verb: Verb) async throws -> FieldSealer? {
    let settings = invocation.settings
    guard let path = settings.keyRingPath else {
      return await defaultSealer(invocation, verb)
    }
    let ring: KeyRing
    do {
      ring = try KeyRingFile(path: path).read()
    } catch {
      throw LocalFailure("\(error)")
    }
    let user = try await user(invocation)
    return FieldSealer(ring, database: settings.databaseID, user: user)
  }

  /// Returns what encrypts and decrypts fields when no key ring is given.
  ///
  /// Asks the server for the name of a caller with keys only if the verb may encrypt, or if there is a key
  /// ring to decrypt with. If that fails, the verb's own call reports why.
  private func defaultSealer(_ invocation: Invocation, _ verb: Verb) async -> FieldSealer? {
    let settings = invocation.settings
    guard settings.scope != .public, let path = DefaultKeyRing.path(environment) else { return nil }
    let output = invocation.output
    let ring = DefaultKeyRing(path: path) { output.log($0) }
    if settings.client.user.isEmpty {
      let needsUser = verb.mayEncrypt || Folder.isFile(path)
      guard settings.client.keys != nil, needsUser else { return nil }
    }
    guard let user = try? await user(invocation) else { return nil }
    if invocation.arguments[.dryRun], !Folder.isFile(path) {
      // A dry run saves nothing, so it creates no key ring.
      let passing = KeyRing([.init(EncryptionKey(), .seal)])
      return FieldSealer(passing, database: settings.databaseID, user: user)
    }
    return FieldSealer(ring, database: settings.databaseID, user: user)
  }

  private func user(_ invocation: Invocation) async throws -> String {
    let settings = invocation.settings
    guard settings.client.user.isEmpty else { return settings.client.user }
    let accounts = TidingsV1.AccountService.Client(try await invocation.connect().transport)
    return try await accounts.fetchUserRecordID(
      .init(container: settings.container),
      options: invocation.callOptions
    ).userRecordName
  }

  private func runWithoutVerb(_ parsed: ParsedArguments, _ output: Output) -> ExitCode {
    output.write(
      text: parsed[.version]
        ? ProgramVersion.rpcctl.text(verbose: parsed[.verbose])
        : parsed[.map] ? VerbMap.text : Self.help
    )
    return .success
  }

  /// The verbs as shown by help: nouns with their verbs first, the operations last.
  static let helpSections =
    Verb.sections.map { section in
      HelpSection(
        section.title,
        section.verbs.filter { !$0.isHidden && $0.operation?.name != $0.command.name }
          .map(\.command)
      )
    } + [HelpSection("Operations", Verb.all.compactMap(\.operation))]

  /// The help of the program.
  static var help: String {
    Help(
      program: name,
      summary: "rpcctl is the command-line client of Tidings.",
      sections: helpSections
    ).description
      + "`rpcctl options` shows the general options, which all verbs accept.\n"
      + "Results are a table on a terminal and jsonl otherwise; `-o table` always prints a table.\n\n"
      + ("Exit codes: " + exitCodes.map { "\($0.code) \($0.meaning)" }.joined(separator: "; ") + ".")
      .wrapped(to: 100) + "\n"
  }

  /// The exit codes and their meanings.
  static let exitCodes = [
    (code: "0", meaning: "success"),
    (code: "1", meaning: "local failure"),
    (code: "2", meaning: "usage error"),
    (
      code: "3",
      meaning: "condition not met: differences or problems found, or a wait timed out"
    ),
    (code: "4", meaning: "some items failed, or a named object does not exist"),
    (code: "5", meaning: "a command of --exec failed"),
    (code: "64+N", meaning: "a call failed with gRPC status N, for example 78 UNAVAILABLE"),
    (code: "130", meaning: "interrupted"),
  ]

  /// The help of the verbs of one noun.
  static func help(group name: String) -> String {
    Help(program: Self.name, word: name, commands: Verb.group(name).map(\.command)).description
  }

  /// The help of a verb.
  static func help(_ command: Command) -> String {
    "\(Help(program: name, command: command))\nGeneral options: `\(name) options`.\n"
  }
}

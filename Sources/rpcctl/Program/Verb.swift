internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// One verb: its command line and its action.
struct Verb: Sendable {
  let command: Command
  /// It calls a server; otherwise records are not encrypted either.
  var needsServer = true
  /// It reads records that may have values to encrypt.
  var mayEncrypt: Bool {
    ["modify-records", "import", "records put", "records set", "records edit"]
      .contains(command.name)
  }
  /// Where option defaults come from.
  var context = ContextUse.chosen
  /// How it implements `--dry-run`.
  var dryRun = DryRunSupport.byCalls
  let run: @Sendable (Invocation) async throws -> ExitCode

  /// Returns the verb with a name.
  ///
  /// - Throws: `UsageError` with suggestions.
  static func named(_ name: String) throws(UsageError) -> Verb {
    if let verb = all.first(where: { $0.names.contains(name) }) { return verb }
    let words = words(after: name)
    guard words.isEmpty else {
      throw UsageError("'\(name)' requires a verb: \(words.joined(separator: ", "))")
    }
    throw UsageError("unknown verb '\(name)'" + suggestion(for: name))
  }

  /// Returns what was probably meant by a name: a verb, the first word of some, or the other verbs of its
  /// group.
  private static func suggestion(for name: String) -> String {
    let first = String(name.prefix { $0 != " " })
    let words = words(after: first)
    let names = shown.flatMap(\.names)
    guard first != name, !words.isEmpty else {
      return didYouMean(
        name,
        among: names + Set(names.map { String($0.prefix { $0 != " " }) }).sorted()
      )
    }
    let near = didYouMean(name, among: words.map { "\(first) \($0)" })
    return near.isEmpty ? "; '\(first)' has \(words.joined(separator: ", "))" : near
  }

  /// The verbs that help and completion show.
  static let shown: [Verb] = all.filter { !$0.isHidden }

  var isHidden: Bool { command.name.hasPrefix(Self.hiddenPrefix) }

  /// The prefix of verbs that are for other programs.
  static let hiddenPrefix = "__"

  /// All names of the verb, its own first.
  var names: [String] { [command.name] + command.aliases }

  /// The operation of the verb under its CloudKit name: `fetch-records`; `nil`: none, or several.
  var operation: Command? {
    guard let name = names.first(where: { $0.contains("-") && !$0.contains(" ") }) else {
      return nil
    }
    return name == command.name ? command : Command(name, "The same as `\(command.name)`.")
  }

  /// The verbs whose names start with these words: `schema`.
  static func group(_ name: String) -> [Verb] {
    all.filter { verb in verb.names.contains { $0.hasPrefix(name + " ") } }
  }

  /// The words that may follow the first words of verbs: `apply` and others after `schema`.
  static func words(after name: String) -> [String] {
    all.flatMap(\.names).filter { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }
}

/// Where option defaults come from.
enum ContextUse: Sendable {
  /// The selected context, if any.
  case chosen
  /// The context that the operand names, else the selected one.
  case operand
  /// No context.
  case none
}

/// One run of a verb.
struct Invocation: Sendable {
  let arguments: ParsedArguments
  var settings: Settings
  let output: Output
  let input: Input
  /// The rest of the process's environment.
  let program: ProgramEnvironment
  /// Starts to connect to a location.
  let connectTo: @Sendable (Settings) async throws -> Session

  /// Starts to connect; called once the request is known to be valid.
  func connect() async throws -> Session { try await connectTo(settings) }

  /// The zone of `--zone`; empty: the default zone.
  var zoneName: String { arguments[.zone] ?? "" }

  /// The zone of `--zone`, with its owner in the shared database.
  var zoneID: TidingsV1.ZoneID {
    get throws(UsageError) { try zoneID(zoneName) }
  }

  /// The zone of records that name none; `nil` in the shared database without `--zone`.
  var defaultZoneID: TidingsV1.ZoneID {
    get throws(UsageError) {
      settings.scope == .shared && arguments[.zone] == nil
        ? .init(ownerName: settings.owner) : try zoneID
    }
  }

  /// Parses a zone: in the shared database `OWNER/ZONE`, unless `--owner` is given.
  func zoneID(_ text: String) throws(UsageError) -> TidingsV1.ZoneID {
    guard settings.scope == .shared, settings.owner.isEmpty else {
      let owner = settings.owner + "/"
      let name =
        !settings.owner.isEmpty && text.hasPrefix(owner) ? text.dropFirst(owner.count) : text[...]
      return .init(zoneName: String(name), ownerName: settings.owner)
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError(
        text.isEmpty
          ? "no zone: name a zone of the shared database as OWNER/ZONE"
          : "invalid zone '\(text)': in the shared database use OWNER/ZONE, or --owner"
      )
    }
    return .init(zoneName: String(parts[1]), ownerName: String(parts[0]))
  }

  /// Rejects the shared database, for a verb that does not support it.
  func refuseSharedDatabase() throws(UsageError) {
    guard settings.scope == .shared else { return }
    throw UsageError("--database shared is not supported by this verb: use private or public")
  }

  /// The call options without anything specific.
  var callOptions: CallOptions { CallOptions(timeout: settings.timeout) }

  /// Rejects operands, for a verb that has none.
  func refuseOperands() throws(UsageError) {
    if let operand = arguments.operands.first {
      throw UsageError("unexpected operand '\(operand)'")
    }
  }

  /// Returns the operands, at least one.
  func requireOperands(_ name: String) throws(UsageError) -> [String] {
    guard !arguments.operands.isEmpty else { throw UsageError("expected at least one \(name)") }
    return arguments.operands
  }
}

/// A connection, as used by verbs.
struct Session: Sendable {
  /// The transport of calls.
  var transport: any ClientTransport
  /// The user's notifications from a start position; the closure is notified of connections.
  let notifications:
    @Sendable (
      _ start: WatchStart,
      _ onEvent: @escaping @Sendable (NotificationInbox.Event) -> Void
    ) throws -> any NotificationSource
  /// Waits until there is a connection; throws the reason why there is none within a time.
  var connected: @Sendable (_ patience: Duration) async throws(RPCError) -> Void = { _ in }
}

internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// One verb: how it is called, and what it does.
struct Verb: Sendable {
  let command: Command
  /// It calls a server; without one, records are not encrypted either.
  var needsServer = true
  /// It reads records that may have values to be encrypted.
  var mayEncrypt: Bool {
    ["modify-records", "import", "records put", "records set", "records edit"]
      .contains(command.name)
  }
  /// Where it takes from what is not said.
  var context = ContextUse.chosen
  /// How it takes `--dry-run`.
  var dryRun = DryRunSupport.byCalls
  let run: @Sendable (Invocation) async throws -> ExitCode

  /// The verb with a name.
  ///
  /// - Throws: `UsageError` with what was probably meant.
  static func named(_ name: String) throws(UsageError) -> Verb {
    if let verb = all.first(where: { $0.names.contains(name) }) { return verb }
    let words = words(after: name)
    guard words.isEmpty else {
      throw UsageError("'\(name)' is followed by one of: \(words.joined(separator: ", "))")
    }
    throw UsageError("there is no verb '\(name)'" + suggestion(for: name))
  }

  /// What was probably meant by a name: a verb, or the first word of some; and what else the group
  /// has.
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

  /// Verbs whose names begin so are for other programs.
  static let hiddenPrefix = "__"

  /// What the verb is called by: its own name first.
  var names: [String] { [command.name] + command.aliases }

  /// The operation that the verb makes, by CloudKit's name: `fetch-records`; `nil`: it makes none, or several.
  var operation: Command? {
    guard let name = names.first(where: { $0.contains("-") && !$0.contains(" ") }) else {
      return nil
    }
    return name == command.name ? command : Command(name, "The same as `\(command.name)`.")
  }

  /// The verbs that can be called by a name whose first words are these: `schema`.
  static func group(_ name: String) -> [Verb] {
    all.filter { verb in verb.names.contains { $0.hasPrefix(name + " ") } }
  }

  /// What may follow the first words of verbs: `apply` and others after `schema`.
  static func words(after name: String) -> [String] {
    all.flatMap(\.names).filter { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }
}

/// Where a verb takes from what is not said on the command line.
enum ContextUse: Sendable {
  /// The context that is chosen, if any.
  case chosen
  /// The one that its operand names, else the one that is chosen.
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
  /// What else the process has around it.
  let program: ProgramEnvironment
  /// Begins to connect to a place.
  let connectTo: @Sendable (Settings) async throws -> Session

  /// Begins to connect; called once what is to be sent is known to be right.
  func connect() async throws -> Session { try await connectTo(settings) }

  /// The zone that `--zone` names; empty: the default zone.
  var zoneName: String { arguments[.zone] ?? "" }

  /// The zone that `--zone` names, with its owner in the shared database.
  var zoneID: TidingsV1.ZoneID {
    get throws(UsageError) { try zoneID(zoneName) }
  }

  /// The zone of records that name none: in the shared database none if `--zone` names none.
  var defaultZoneID: TidingsV1.ZoneID {
    get throws(UsageError) {
      settings.scope == .shared && arguments[.zone] == nil
        ? .init(ownerName: settings.owner) : try zoneID
    }
  }

  /// The zone that a text names: in the shared database `OWNER/ZONE`, unless `--owner` says whose.
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
          ? "which zone of the shared database? It is written OWNER/ZONE"
          : "a zone of the shared database is written OWNER/ZONE, or --owner says whose: not '\(text)'"
      )
    }
    return .init(zoneName: String(parts[1]), ownerName: String(parts[0]))
  }

  /// Refuses the shared database, for a verb that is not made for it.
  func refuseSharedDatabase() throws(UsageError) {
    guard settings.scope == .shared else { return }
    throw UsageError("this is for the private and the public database: leave out --database shared")
  }

  /// For calls without anything special.
  var callOptions: CallOptions { CallOptions(timeout: settings.timeout) }

  /// Refuses operands where a verb has none.
  func refuseOperands() throws(UsageError) {
    if let operand = arguments.operands.first {
      throw UsageError("'\(operand)' is not expected here")
    }
  }

  /// The operands, at least one.
  func requireOperands(_ name: String) throws(UsageError) -> [String] {
    guard !arguments.operands.isEmpty else { throw UsageError("at least one \(name) is needed") }
    return arguments.operands
  }
}

/// A connection as verbs see it.
struct Session: Sendable {
  /// Carries calls.
  var transport: any ClientTransport
  /// The user's notifications from a begin on; the closure hears of the connection.
  let notifications:
    @Sendable (
      _ start: WatchStart,
      _ onEvent: @escaping @Sendable (NotificationInbox.Event) -> Void
    ) throws -> any NotificationSource
}

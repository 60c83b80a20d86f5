internal import CommandLineTools
internal import Synchronization
internal import TidingsJSON

/// Candidates from a server or from contexts; none if that fails.
struct LiveCandidates {
  /// The time limit of calls.
  static let timeMax = "500ms"
  /// The environment variable for another time limit, for machines under load.
  static let timeVariable = "RPCCTL_COMPLETION_TIMEOUT"
  /// Most records that are suggested.
  private static let recordCountMax = 200

  /// Options that select the server and the caller.
  private static let passedOptions = [
    "context", "no-context", "endpoint", "container", "environment", "database", "owner",
    "key-file", "server-key", "as", "device",
  ]

  let completer: Completer
  let invocation: Invocation

  /// Returns the names of a kind that start with a prefix.
  func names(_ kind: String) async -> [String] {
    switch kind {
    case "contexts": (try? invocation.contexts.names) ?? []
    case "verbs": completer.nextWords(after: completer.operands).map(\.word)
    case "modes": completer.operands.isEmpty ? BenchPlan.Mode.allCases.map(\.rawValue) : []
    case "grant": await grantOperand
    case "shells": CompletionScript.allCases.map(\.rawValue)
    case "zones": await lines(["fetch-zones"])
    case "records": await lines(recordCall)
    case "subscriptions": await lines(["fetch-subscriptions"])
    case "users": await lines(["users", "list"])
    case "keys": await lines(["keys", "list"])
    case "web-tokens": await lines(["web-tokens", "list"])
    case "targets": await lines(["targets", "list"])
    case "services": await lines(["reflect", "services"])
    case "methods": await lines(["reflect", "methods"])
    case "symbols": await lines(["reflect", "symbols"])
    case "topics": Cheat.all.map(\.topic)
    case "types": await types
    default: []
    }
  }

  /// Returns the next operand of `grants check`: a user unless `--guest`, an operation, a type.
  private var grantOperand: [String] {
    get async {
      let isGuest = completer.given.contains { $0.name == "guest" }
      switch completer.operands.count + (isGuest ? 1 : 0) {
      case 0: return await names("users")
      case 1: return GrantCheck.Operation.allCases.map(\.rawValue)
      case 2: return await names("types")
      default: return []
      }
    }
  }

  private var recordCall: [String] {
    let zone = completer.given.last { $0.name == "zone" }?.values.last
    let limit = ["--limit", "\(Self.recordCountMax)", "--desired-keys", ""]
    return ["fetch-zone-changes"] + (zone.map { [$0] } ?? []) + limit
  }

  /// Returns the record types of the schema.
  private var types: [String] {
    get async {
      let text = await output(["schema", "get"], notation: "auto")
      return text.split(separator: "\n").compactMap { line in
        let words = line.split { $0 == " " || $0 == "(" }
        let isType = words.count >= 3 && words[0] == "RECORD" && words[1] == "TYPE"
        return isType ? words[2].filter { $0 != "\"" } : nil
      }
    }
  }

  private func lines(_ verb: [String]) async -> [String] {
    await output(verb, notation: "name").split(separator: "\n").map(String.init)
  }

  /// Returns the output of a verb, run for the same server as the command line being typed.
  private func output(_ verb: [String], notation: String) async -> String {
    let time = invocation.program.environment[Self.timeVariable] ?? Self.timeMax
    var arguments =
      verb + [
        "--output", notation, "--timeout", time, "--connect-timeout", time, "--retries", "0",
      ]
    for option in completer.given where Self.passedOptions.contains(option.name) {
      arguments.append("--\(option.name)")
      arguments += option.values.suffix(1)
    }
    let printed = Mutex<[UInt8]>([])
    let output = Output(
      format: .jsonl,
      writeData: { bytes in printed.withLock { $0 += bytes } },
      writeMessage: { _ in }
    )
    _ = await invocation.program.run(arguments, output)
    return String(decoding: printed.withLock { $0 }, as: UTF8.self)
  }
}

internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Why the program fails, for people, for programs and for the shell.
struct Failure {
  let text: String
  let json: JSONValue
  let exitCode: ExitCode

  init(_ error: any Error) {
    switch error {
    case ChangeFeedError.call(let error): self = Failure(error)
    case let error as ChangeFeedError:
      text = "rpcctl: \(error.item.text)"
      json = error.item.json
      exitCode = .itemsFailed
    case ShareError.call(let error): self = Failure(error)
    case ShareError.refused(let error):
      text = "rpcctl: \(error.text)"
      json = error.json
      exitCode = .itemsFailed
    case InboxError.call(let error): self = Failure(error)
    case InboxError.changeTokenExpired(let message):
      text = """
        rpcctl: \(message)
        Bring what you hold up to date from the records, then begin anew: --since beginning, without \
        the --state file.
        """
      json = .object(["status": .string("OUT_OF_RANGE"), "message": .string(message)])
      exitCode = .failedCall(.outOfRange)
    case let error as RPCError:
      text = Self.text(of: error)
      json = .omittingNil([
        "code": .integer(error.code.rawValue), "status": .string("\(error.code)"),
        "message": .string(error.message),
        "details": error.details.isEmpty ? nil : .array(error.details.map(Contract.json)),
      ])
      exitCode = .failedCall(error.code)
    case is UsageError, is ValueError:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("USAGE"), "message": .string("\(error)")])
      exitCode = .usage
    case is Interrupted:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("INTERRUPTED"), "message": .string("\(error)")])
      exitCode = .interrupted
    case is CommandFailure:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("COMMAND_FAILED"), "message": .string("\(error)")])
      exitCode = .commandFailed
    default:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("LOCAL_FAILURE"), "message": .string("\(error)")])
      exitCode = .localFailure
    }
  }

  private static func text(of error: RPCError) -> String {
    // Most details of ours only repeat the message for programs.
    let details = error.details.map(Contract.json)
      .filter { $0.object?["message"]?.string != error.message }
      .map { "\n  \($0)" }.joined()
    // Who broke a handshake off, or is stopping, is running there.
    let advice =
      error.code == .unavailable && error.message.hasPrefix("cannot reach")
      ? "\nIs rpcd running there? --endpoint or RPCCTL_ENDPOINT says where it is." : ""
    return "rpcctl: \(error)\(details)\(advice)"
  }
}

extension ChangeFeedError {
  /// What the server said of the zone or database.
  fileprivate var item: TidingsV1.ItemError {
    switch self {
    case .changeTokenExpired(let message): .init(code: .changeTokenExpired, message: message)
    case .zoneNotFound(let message): .init(code: .zoneNotFound, message: message)
    case .userDeletedZone(let message): .init(code: .userDeletedZone, message: message)
    case .refused(let error): error
    case .call(let error): .init(message: error.message)
    }
  }
}

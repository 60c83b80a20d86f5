internal import CommandLineTools
internal import TidingsJSON
internal import TidingsRPC

/// Why the program fails, for people, for programs and for the shell.
struct Failure {
  let text: String
  let json: JSONValue
  let exitCode: ExitCode

  init(_ error: any Error) {
    switch error {
    case let error as RPCError:
      text = Self.text(of: error)
      json = .omittingNil([
        "code": .integer(error.code.rawValue), "status": .string("\(error.code)"),
        "message": .string(error.message),
        "details": error.details.isEmpty ? nil : .array(error.details.map(Contract.json)),
      ])
      exitCode = .failedCall(error.code)
    case let error as UsageError:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("USAGE"), "message": .string("\(error)")])
      exitCode = .usage
    default:
      text = "rpcctl: \(error)"
      json = .object(["status": .string("LOCAL_FAILURE"), "message": .string("\(error)")])
      exitCode = .localFailure
    }
  }

  private static func text(of error: RPCError) -> String {
    let details = error.details.map { "\n  \(Contract.json($0))" }.joined()
    let advice =
      error.code == .unavailable
      ? "\nIs rpcd running there? --endpoint or RPCCTL_ENDPOINT says where it is." : ""
    return "rpcctl: \(error)\(details)\(advice)"
  }
}

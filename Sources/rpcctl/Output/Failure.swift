internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// The error that ends the program: message, JSON and exit code.
struct Failure {
  let text: String
  let exitCode: ExitCode
  /// The name of the exit code, for example of a call's status.
  private let status: String
  /// The code of the item that made the call fail, as in `CKError.Code`.
  private var itemCode: TidingsV1.ErrorCode?
  /// A more specific reason, if known.
  private var reason: String?
  private let message: String
  private var more: JSONObject = [:]

  /// The failure as JSON, with the same members for all failures.
  var json: JSONValue {
    var object: JSONObject = ["code": .integer(exitCode.rawValue), "status": .string(status)]
    if let itemCode { object.append("itemCode", .integer(itemCode.rawValue)) }
    object.append("reason", .string(reason ?? status))
    object.append("message", .string(message))
    for member in more.members { object.append(member.name, member.value) }
    return .object(object)
  }

  init(_ error: any Error) {
    switch error {
    case ChangeFeedError.call(let error): self.init(call: error)
    case let error as ChangeFeedError: self.init(item: error.item)
    case ShareError.call(let error): self.init(call: error)
    case ShareError.refused(let error): self.init(item: error)
    case InboxError.call(let error): self.init(call: error)
    case InboxError.changeTokenExpired(let message):
      self.init(
        call: RPCError(.outOfRange, message),
        text: """
          rpcctl: \(message)
          Fetch the records again, then restart: --since beginning, without the --state file.
          """
      )
    case let error as RPCError: self.init(call: error)
    case is UsageError, is ValueError: self.init(here: error, "USAGE", .usage)
    case is Interrupted: self.init(here: error, "INTERRUPTED", .interrupted)
    case is CommandFailure: self.init(here: error, "COMMAND_FAILED", .commandFailed)
    case is NotFound: self.init(here: error, "NOT_FOUND", .notFound)
    case is ConditionNotMet: self.init(here: error, "CONDITION_NOT_MET", .conditionNotMet)
    case is Unconfirmed: self.init(here: error, "NOT_CONFIRMED", .localFailure)
    default: self.init(here: error, "LOCAL_FAILURE", .localFailure)
    }
  }

  /// A local failure.
  private init(here error: any Error, _ status: String, _ exitCode: ExitCode) {
    message = "\(error)"
    text = "rpcctl: \(error)"
    self.status = status
    self.exitCode = exitCode
  }

  /// A call failed because of an item.
  private init(item error: TidingsV1.ItemError) {
    message = error.message
    text = "rpcctl: \(error.text)"
    status = "ITEMS_FAILED"
    itemCode = error.code
    reason = error.name
    exitCode = .itemsFailed
    for member in error.json.object?.members ?? []
    where !["code", "name", "message"].contains(member.name) {
      more.append(member.name, member.value)
    }
  }

  /// A call failed.
  private init(call error: RPCError, text: String? = nil) {
    message = error.message
    self.text = text ?? Self.text(of: error)
    status = "\(error.code)"
    exitCode = .failedCall(error.code)
    let item = error.details.lazy.compactMap(TidingsV1.ItemError.init).first
    itemCode = item?.code
    let details = error.details.map(Contract.json)
    reason = details.lazy.compactMap { $0.object?["reason"]?.string }.first ?? item?.name
    if let delay = details.lazy.compactMap({ $0.object?["retryDelay"] }).first {
      more.append("retryAfter", delay)
    }
    if !details.isEmpty { more.append("details", .array(details)) }
  }

  private static func text(of error: RPCError) -> String {
    // Most of our details only repeat the message for programs.
    let details = error.details.map(Contract.json)
      .filter { $0.object?["message"]?.string != error.message }
      .map { "\n  \($0)" }.joined()
    // A server that broke off the handshake, or that is stopping, is running.
    let advice =
      error.code == .unavailable && error.message.hasPrefix("cannot reach")
      ? "\nIs rpcd running at this address? Set it with --endpoint or RPCCTL_ENDPOINT." : ""
    return "rpcctl: \(error)\(details)\(advice)"
  }
}

extension ChangeFeedError {
  /// The server's error for the zone or database.
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

extension TidingsV1.ItemError {
  /// The item error in the details of a failed call; `nil` for other details.
  fileprivate init?(_ detail: RPCError.Detail) {
    guard detail.typeURL.hasSuffix("/" + Self.messageName),
      let error = try? Self(decoding: detail.value)
    else { return nil }
    self = error
  }
}

public import TidingsProto
public import TidingsRPC

/// Why a share could not be read, changed, accepted or left.
public enum ShareError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server refuses it, and says why.
  case refused(TidingsV1.ItemError)
  /// The call failed.
  case call(RPCError)

  /// The server's message.
  public var description: String {
    switch self {
    case .refused(let error): error.message
    case .call(let error): error.description
    }
  }

  /// The server did not answer for what was asked.
  static let noAnswer = Self.call(RPCError(.internal, "the server answered without the share"))
}

extension ShareError {
  /// The failure of a call: its details may say more than its status.
  init(_ error: RPCError) {
    self =
      switch ChangeFeedError.item(in: error) {
      case let item?: .refused(item)
      case nil: .call(error)
      }
  }
}

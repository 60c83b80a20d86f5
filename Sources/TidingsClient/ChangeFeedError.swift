public import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC

/// Why a change feed ended.
///
/// What goes away by itself is not among these when the feed is followed: it is tried again.
public enum ChangeFeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The token is too old, or from before the zone was created again or the server's data restored:
  /// drop what you cached of the zone or database, and begin without a token.
  case changeTokenExpired(String)
  /// The zone does not exist (any more): drop what you cached of it.
  case zoneNotFound(String)
  /// The user removed the zone with the data of the application: drop what you cached of it, and do
  /// not create it again without asking.
  case userDeletedZone(String)
  /// The server refuses the request for another reason.
  case refused(TidingsV1.ItemError)
  /// The call failed.
  case call(RPCError)

  /// The server's message.
  public var description: String {
    switch self {
    case .changeTokenExpired(let message), .zoneNotFound(let message),
      .userDeletedZone(let message):
      message
    case .refused(let error): error.message
    case .call(let error): error.description
    }
  }

  /// The failure of a zone, or of the whole call.
  init(_ error: TidingsV1.ItemError) {
    self =
      switch error.code {
      case .changeTokenExpired: .changeTokenExpired(error.message)
      case .zoneNotFound: .zoneNotFound(error.message)
      case .userDeletedZone: .userDeletedZone(error.message)
      default: .refused(error)
      }
  }

  /// The failure of a call: its details may say more than its status.
  init(_ error: RPCError) {
    guard let item = Self.item(in: error) else {
      self = .call(error)
      return
    }
    self.init(item)
  }

  /// What the details of a failure say in CloudKit's words.
  static func item(in error: RPCError) -> TidingsV1.ItemError? {
    let type = "type.googleapis.com/" + TidingsV1.ItemError.messageName
    return error.details.first { $0.typeURL == type }
      .flatMap { try? TidingsV1.ItemError(decoding: $0.value) }
  }

  /// Repeating the call may help.
  var isWorthRepeating: Bool {
    switch self {
    case .call(let error): error.isWorthRepeating
    case .refused(let error): error.retryAfter != nil
    default: false
    }
  }
}

internal import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC

/// Why an inbox cannot go on.
///
/// What goes away by itself, a lost connection or a server that restarts, is not among these: it is
/// tried again.
public enum InboxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Notifications after the position are no longer kept, or the server's data was restored: what came
  /// in between can only be found by fetching the records.
  ///
  /// Bring what you hold up to date (`recordZoneChanges`, a query), then `restart()`.
  case changeTokenExpired(String)
  /// Another inbox, of this process or another, has the position file open.
  case positionInUse(String)
  /// The bytes or the file hold no position, or one that a newer version wrote.
  case positionDamaged(String)
  /// The position is of another user, container or environment than the client.
  case positionOwnerMismatch(String)
  /// The file cannot be read or written.
  case positionFileError(String)
  /// The notification is from an earlier iteration, or from another inbox: it comes again.
  case staleNotification(String)
  /// The inbox is closed.
  case closed
  /// The server refuses the call, or answers with an error that retrying does not fix.
  case call(RPCError)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .changeTokenExpired(let message):
      message + "; bring what you hold up to date from the records, then call restart()"
    case .positionInUse(let message), .positionDamaged(let message),
      .positionOwnerMismatch(let message), .positionFileError(let message),
      .staleNotification(let message):
      message
    case .closed: "the inbox is closed: make another"
    case .call(let error): error.description
    }
  }

  init(_ error: RPCError) {
    if case .changeTokenExpired(let message) = ChangeFeedError(error) {
      self = .changeTokenExpired(message)
    } else {
      self = .call(error)
    }
  }
}

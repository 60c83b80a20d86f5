internal import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC

/// A permanent failure of an inbox.
///
/// Temporary failures, such as a lost connection or a server that restarts, are retried.
public enum InboxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Notifications after the position are no longer retained, or the server's data was restored from a
  /// backup.
  ///
  /// Update local data from the records (`recordZoneChanges`, a query), then call `restart()`.
  case changeTokenExpired(String)
  /// The position file is open in another inbox, of this or another process.
  case positionInUse(String)
  /// The bytes or the file are not a position, or were written by a newer version.
  case positionDamaged(String)
  /// The position belongs to another user, container or environment.
  case positionOwnerMismatch(String)
  /// The position file cannot be read or written.
  case positionFileError(String)
  /// The notification is from an earlier iteration or from another inbox; it is redelivered.
  case staleNotification(String)
  /// The inbox is closed.
  case closed
  /// A call failed with an error that retrying does not fix.
  case call(RPCError)

  /// The reason and what to do.
  public var description: String {
    switch self {
    case .changeTokenExpired(let message):
      message + "; update local data from the records, then call restart()"
    case .positionInUse(let message), .positionDamaged(let message),
      .positionOwnerMismatch(let message), .positionFileError(let message),
      .staleNotification(let message):
      message
    case .closed: "the inbox is closed: open another"
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

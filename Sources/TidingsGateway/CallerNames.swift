internal import Synchronization
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// The names of users by their tokens, which answers have as the owners of zones.
///
/// A token is one user's as long as it is valid, so that a name can be kept; the server refuses a token that is not, with the call
/// itself.
final class CallerNames: Sendable {
  private struct Key: Hashable, Sendable {
    var credential: WebCaller.Credential
    var container: String
  }

  private static let countMax = 10_000

  private let service: TidingsV1.AccountService.Client
  private let known = Mutex(RecentValues<Key, String>(countMax: countMax))

  init(_ transport: any ClientTransport) { service = .init(transport) }

  /// The record name of a caller who has signed in.
  ///
  /// - Parameters:
  ///   - caller: The caller of a request.
  ///   - database: Where the user has the name.
  ///   - requestID: The request's.
  /// - Returns: The name.
  /// - Throws: `RPCError`.
  func user(
    of caller: WebCaller,
    in database: WebDatabase,
    requestID: String
  ) async throws -> String {
    let key = Key(credential: caller.credential, container: database.container)
    if let name = known.withLock({ $0.value(of: key) }) { return name }
    let name = try await service.fetchUserRecordID(
      .init(container: database.container),
      options: CallOptions(metadata: caller.metadata(requestID: requestID))
    ).userRecordName
    known.withLock { $0.remember(name, of: key) }
    return name
  }
}

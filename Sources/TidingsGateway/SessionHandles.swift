internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

/// What URLs carry in place of a web auth token, which may be renewed before they expire: the handle of its session.
///
/// A handle is refused by the server as soon as its session ends, so it can be kept.
final class SessionHandles: Sendable {
  private static let countMax = 10_000

  private let service: TidingsV1.GatewayService.Client
  private let known = Mutex(RecentValues<WebCaller.Credential, String>(countMax: countMax))

  init(_ transport: any ClientTransport) { service = .init(transport) }

  /// A caller whose calls are taken until the session ends; others are returned as they are.
  ///
  /// - Parameters:
  ///   - caller: The caller of a request.
  ///   - requestID: The request's.
  ///   - isChecked: The server is asked in any case, and so refuses a token that is not valid any more.
  /// - Returns: The caller with the handle.
  /// - Throws: `RPCError`.
  func lasting(
    _ caller: WebCaller,
    requestID: String,
    isChecked: Bool = false
  ) async throws -> WebCaller {
    switch caller.credential {
    case .token(_, .some), .dashboard: break
    case .claimed, .token(_, nil), .serverKey: return caller
    }
    if !isChecked, let handle = known.withLock({ $0.value(of: caller.credential) }) {
      return caller.with(handle)
    }
    let handle = try await service.fetchSessionHandle(
      .init(),
      options: CallOptions(metadata: caller.metadata(requestID: requestID))
    ).sessionHandle
    known.withLock { $0.remember(handle, of: caller.credential) }
    return caller.with(handle)
  }
}

extension WebCaller {
  /// The same with a handle in place of its token.
  fileprivate func with(_ handle: String) -> WebCaller {
    var caller = self
    switch credential {
    case .token(let api, .some): caller.credential = .token(api: api, user: handle)
    case .dashboard: caller.credential = .dashboard(handle)
    case .claimed, .token(_, nil), .serverKey: break
    }
    return caller
  }
}

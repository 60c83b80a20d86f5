internal import Synchronization
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// What credentials are for: container, environment, origins.
///
/// Kept for a short time only, and never instead of the server's decision: each call carries the credential, and is
/// refused when it was revoked.
final class WebCredentials: Sendable {
  struct Entry: Sendable {
    var container: String
    var environment: TidingsV1.Environment
    /// None: all.
    var origins: [String]
    var callbackURL: String
    /// Of a server's key.
    var publicKey: [UInt8]
    var label: String
  }

  private let service: TidingsV1.GatewayService.Client
  private let known = Mutex<[String: (entry: Entry, until: ContinuousClock.Instant)]>([:])

  private static let keepFor = Duration.seconds(15)
  private static let countMax = 10_000

  init(_ transport: any ClientTransport) { service = .init(transport) }

  /// What an API token is for.
  ///
  /// - Throws: `authenticationFailed` when it is not valid; `RPCError`.
  func apiToken(_ token: String) async throws -> Entry {
    try await entry(token) { .init(credential: .apiToken(token)) }
  }

  /// What a server's key is for, named by its ID, environment and container.
  ///
  /// - Throws: `authenticationFailed` when it is not valid there; `RPCError`.
  func serverKey(_ text: String) async throws -> Entry {
    try await entry("key \(text)") { .init(credential: .serverKeyID(text)) }
  }

  private func entry(
    _ name: String,
    _ request: () -> TidingsV1.FetchWebCredentialRequest
  ) async throws -> Entry {
    let now = ContinuousClock.now
    if let found = known.withLock({ $0[name] }), found.until > now { return found.entry }
    let answer = try await fetch(request())
    let entry = Entry(
      container: answer.container,
      environment: answer.environment,
      origins: answer.allowedOrigins,
      callbackURL: answer.callbackURL,
      publicKey: answer.publicKey,
      label: answer.label
    )
    known.withLock { known in
      if known.count >= Self.countMax { known.removeAll(keepingCapacity: true) }
      known[name] = (entry, now + Self.keepFor)
    }
    return entry
  }

  private func fetch(
    _ request: TidingsV1.FetchWebCredentialRequest
  ) async throws -> TidingsV1.FetchWebCredentialResponse {
    do {
      return try await service.fetchWebCredential(request)
    } catch {
      guard error.code == .unauthenticated else { throw error }
      throw WebFailure(
        .authenticationFailed,
        "ckAPIToken, or the key ID, is not known here, or was revoked"
      )
    }
  }
}

extension WebCredentials.Entry {
  /// Refuses what the credential is not for.
  func check(_ database: WebDatabase) throws(WebFailure) {
    let name = container.isEmpty ? "default" : container
    guard database.container == name,
      (database.environment == .production) == (environment == .production)
    else {
      throw WebFailure(
        .authenticationFailed,
        "this credential is for the container '\(name)', \(environment.webName), not for '\(database.container)', "
          + database.environment.webName
      )
    }
  }

  /// Whether pages of an origin may read answers.
  func allows(_ origin: String) -> Bool { origins.isEmpty || origins.contains(origin) }
}

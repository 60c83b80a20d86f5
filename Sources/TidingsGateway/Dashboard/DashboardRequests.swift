internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsLogging
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Answers the requests of the dashboard: its files, its session, and calls of the server's methods.
///
/// The gateway has no rights here: each call carries the session's token, and the server looks up its user, roles and
/// key.
struct DashboardRequests: Sendable {
  let transport: any ClientTransport
  let urls: SealedURLs
  let cookie: DashboardCookie
  private let origin: String?
  private let contract: DashboardContract
  private let reports: PolicyReports

  /// - Parameters:
  ///   - transport: To the server.
  ///   - urls: Seals offers.
  ///   - isSecure: The page is served over HTTPS.
  ///   - origin: The page's origin; `nil`: that of each request.
  ///   - logger: Reports what browsers report.
  /// - Throws: `Schema.ReadingError` for a contract that cannot be read, a defect.
  init(
    _ transport: any ClientTransport,
    _ urls: SealedURLs,
    isSecure: Bool,
    origin: String?,
    logger: Logger
  ) throws {
    (self.transport, self.urls, self.origin) = (transport, urls, origin)
    reports = PolicyReports(logger)
    cookie = DashboardCookie(isSecure: isSecure)
    contract = try DashboardContract()
  }

  /// What a path below `/dashboard` asks for.
  enum Step: Hashable, Sendable {
    case signIn, accept, decline, session, renew, signOut, report
    /// `SERVICE/METHOD`.
    case call(String)

    init?(_ parts: ArraySlice<Substring>) {
      switch (parts.first, parts.count) {
      case ("sign-in"?, 1): self = .signIn
      case ("accept"?, 1): self = .accept
      case ("decline"?, 1): self = .decline
      case ("session"?, 1): self = .session
      case ("renew"?, 1): self = .renew
      case ("sign-out"?, 1): self = .signOut
      case ("csp-report"?, 1): self = .report
      case ("rpc"?, 3): self = .call(parts.dropFirst().joined(separator: "/"))
      default: return nil
      }
    }
  }

  func answer(_ request: HTTPRequest, _ step: Step, uuid: String) async -> HTTPResponse {
    let isReading = step == .session
    guard request.head.method == (isReading ? "GET" : "POST") else {
      return DashboardAnswer.refusal(405, .unimplemented, "use \(isReading ? "GET" : "POST")")
    }
    if step == .report {
      reports.add(request.body)
      return HTTPResponse(204)
    }
    guard isOfOwnOrigin(request.head) else {
      return DashboardAnswer.refusal(
        403,
        .permissionDenied,
        "the request comes from a page of another origin"
      )
    }
    do {
      if step == .signIn { return try await signIn(request, uuid) }
      guard let token = cookie.token(request.head) else { throw DashboardFailure.notSignedIn }
      if isReading { return try await session(token, uuid) }
      guard DashboardCookie.isAllowed(request.head, token: token) else {
        throw DashboardFailure.noRequestToken
      }
      switch step {
      case .accept: return try await accept(request, token, uuid)
      case .decline: return try await decline(request, token, uuid)
      case .renew: return try await enter(try await renewed(token, uuid), uuid)
      case .signOut: return try await signOut(token, uuid)
      case .call(let name): return try await call(name, request, token, uuid)
      default: throw DashboardFailure.notSignedIn
      }
    } catch let failure as DashboardFailure {
      return failure.answer
    } catch let error as RPCError {
      return DashboardAnswer.json(
        DashboardAnswer.status(of: error.code),
        .object(contract.error(error))
      )
    } catch {
      return DashboardAnswer.refusal(500, .internal, "a defect of the gateway: \(type(of: error))")
    }
  }

  /// The caller of a request for CloudKit Web Services that comes from the dashboard.
  ///
  /// - Throws: `WebFailure` without a session, or without the second token.
  func caller(_ head: HTTPHead) throws(WebFailure) -> WebCaller {
    guard let token = cookie.token(head) else {
      throw WebFailure(.authenticationRequired, "no session of the dashboard: sign in")
    }
    guard isOfOwnOrigin(head), DashboardCookie.isAllowed(head, token: token) else {
      throw WebFailure(.accessDenied, DashboardFailure.noRequestToken.message)
    }
    return WebCaller(.dashboard(token))
  }

  private func call(
    _ name: String,
    _ request: HTTPRequest,
    _ token: String,
    _ uuid: String
  ) async throws -> HTTPResponse {
    guard let method = DashboardMethods.all[name] else {
      throw DashboardFailure.unknownMethod
    }
    let bytes: [UInt8]
    do {
      bytes = try contract.request(.object(try object(request)), of: method)
    } catch let error as TranscodingError {
      throw DashboardFailure.badRequest("\(error)")
    }
    let answer = try await transport.unary(method, bytes, options: options(token, uuid))
    return DashboardAnswer.json(200, try contract.answer(answer, of: method))
  }

  func options(_ token: String, _ uuid: String) -> CallOptions {
    CallOptions(metadata: WebCaller(.dashboard(token)).metadata(requestID: uuid))
  }

  func object(_ request: HTTPRequest) throws -> JSONObject {
    guard case .bytes(let bytes) = request.body, !bytes.isEmpty else { return JSONObject() }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes, valuesMax: WebLimits.valuesMax)
    } catch {
      throw DashboardFailure.badRequest("the body is not JSON: \(error)")
    }
    guard let object = value.object else {
      throw DashboardFailure.badRequest("the body is not an object")
    }
    return object
  }

  /// Browsers send the origin with each POST; other programs, which have no cookie of somebody else, need not.
  private func isOfOwnOrigin(_ head: HTTPHead) -> Bool {
    guard let sent = head.header("origin") else { return true }
    if let origin { return sent == origin }
    guard let host = head.header("host") else { return false }
    return sent == "\(cookie.isSecure ? "https" : "http")://\(host)"
  }
}

/// Why a request of the dashboard is not carried out.
enum DashboardFailure: Error {
  case notSignedIn
  case noRequestToken
  case linkIsOver
  case unknownMethod
  case badRequest(String)

  var message: String {
    switch self {
    case .notSignedIn: "not signed in: run `rpcctl dashboard`"
    case .noRequestToken:
      "the header \(DashboardCookie.requestTokenHeader) is missing, or is that of another session"
    case .linkIsOver:
      "the link was used already, or has expired: run `rpcctl dashboard` for another one"
    case .unknownMethod: "the dashboard does not have this method"
    case .badRequest(let message): message
    }
  }

  var answer: HTTPResponse {
    switch self {
    case .notSignedIn, .linkIsOver: DashboardAnswer.refusal(401, .unauthenticated, message)
    case .noRequestToken: DashboardAnswer.refusal(403, .permissionDenied, message)
    case .unknownMethod: DashboardAnswer.refusal(404, .unimplemented, message)
    case .badRequest: DashboardAnswer.refusal(400, .invalidArgument, message)
    }
  }
}

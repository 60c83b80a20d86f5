internal import Synchronization
internal import TidingsClient
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSeal
internal import TidingsWeb

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A gateway that runs: takes requests of CloudKit Web Services, and calls a server.
package final class Gateway: Sendable {
  private let server: HTTPServer
  private let requests: GatewayRequests
  private let client: Client

  /// The port on which it takes requests.
  package var port: UInt16 { server.port }

  private init(_ server: HTTPServer, _ requests: GatewayRequests, _ client: Client) {
    (self.server, self.requests, self.client) = (server, requests, client)
  }

  /// Starts a gateway; the server need not be there yet.
  package static func start(_ settings: GatewaySettings) async throws -> Gateway {
    var configuration = ClientConfiguration(endpoints: settings.endpoints)
    configuration.keys = settings.keys
    let client = try await Client(configuration)
    let secret = settings.keys?.pair.secretKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let requests = GatewayRequests(
      settings,
      transport: client.transport,
      urls: SealedURLs(secret: secret),
      hub: EventHub(configuration)
    )
    let server = try HTTPServer(settings.http, planning: requests.plan) { request in
      await requests.answer(request)
    }
    return Gateway(server, requests, client)
  }

  /// Takes no more requests, answers those that are there, and ends.
  package func stop() async {
    await server.stop()
    await requests.hub.close()
    await client.close()
  }
}

/// Sends each request to where it is answered.
struct GatewayRequests: Sendable {
  private let settings: GatewaySettings
  private let database: DatabaseRequests
  private let assets: AssetRequests
  private let devices: DeviceRequests
  private let authentication: Authentication
  private let signIn: SignIn
  private let transport: any ClientTransport
  let hub: EventHub
  private let streams = StreamCount()

  init(
    _ settings: GatewaySettings,
    transport: any ClientTransport,
    urls: SealedURLs,
    hub: EventHub
  ) {
    (self.settings, self.transport, self.hub) = (settings, transport, hub)
    database = DatabaseRequests(transport: transport, urls: urls)
    assets = AssetRequests(transport: transport, urls: urls)
    devices = DeviceRequests(transport: transport, urls: urls, hub: hub)
    let credentials = WebCredentials(transport)
    authentication = Authentication(
      credentials: credentials,
      isDevelopment: settings.keys == nil
    )
    signIn = SignIn(transport, credentials, urls)
  }

  /// What becomes of a request's body.
  func plan(_ head: HTTPHead) -> HTTPBodyPlan {
    if case .asset = RequestPath(head.path), head.method != "GET", head.method != "HEAD" {
      return .file(bytesMax: WebLimits.assetBytesMax + (64 << 10))
    }
    return .memory(bytesMax: WebLimits.bodyBytesMax)
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let uuid = RequestID.make()
    let started = ContinuousClock.now
    let origin = request.head.header("origin")
    let response: HTTPResponse
    if request.head.method == "OPTIONS" {
      response = CrossOrigin.preflight(request.head)
    } else {
      do {
        response = try await route(request, uuid: uuid)
      } catch {
        response = WebAnswer.failure(WebFailure(describing: error), uuid: uuid)
      }
    }
    var isReadable = false
    if let origin { isReadable = await authentication.allows(origin, request.head) }
    if settings.logsRequests {
      RequestLog.write(request.head, response.status, uuid, ContinuousClock.now - started)
    }
    return CrossOrigin.allow(isReadable ? origin : nil, response)
  }

  private func route(_ request: HTTPRequest, uuid: String) async throws -> HTTPResponse {
    switch RequestPath(request.head.path) {
    case .database(let named, let name):
      return try await answer(request, named) { caller in
        let answer = try await database.answer(
          request,
          named,
          name,
          caller: caller,
          baseURL: baseURL(request),
          uuid: uuid
        )
        var response = WebAnswer.success(answer, uuid: uuid)
        if name == "users/caller", let token = try await signIn.renewed(caller) {
          response.headers.append(("X-Apple-CloudKit-Web-Auth-Token", token))
        }
        return response
      }
    case .deviceToken(let named, let register):
      return try await answer(request, named) { caller in
        let answer = try await devices.answer(
          request,
          named,
          register: register,
          caller: caller,
          baseURL: baseURL(request)
        )
        return WebAnswer.success(answer, uuid: uuid)
      }
    case .asset(let sealed): return try await assets.answer(request, sealed: sealed, uuid: uuid)
    case .courier(let sealed): return try await devices.poll(sealed: sealed)
    case .events(let named):
      return try await answer(request, named) { try events(request, named, of: $0) }
    case .signIn(let step): return try await signIn.answer(request, step, uuid: uuid)
    case .file(let file): return try StaticFiles.answer(request.head, file)
    case .unknown: throw WebFailure(.notFound, "there is nothing at this path")
    }
  }

  /// Answers for whoever has authenticated; failures say where to sign in, if that helps.
  private func answer(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    _ body: (WebCaller) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let caller = try await authentication.caller(request, database) { token in
      "\(baseURL(request))/sign-in?ckAPIToken=\(token)"
    }
    do {
      return try await body(caller)
    } catch {
      throw WebFailure(error, of: caller)
    }
  }

  private func baseURL(_ request: HTTPRequest) -> String {
    if let url = settings.publicURL { return url }
    let scheme = settings.http.tls == nil ? "http" : "https"
    return "\(scheme)://\(request.head.header("host") ?? settings.http.address.description)"
  }

  private func events(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    of caller: WebCaller
  ) throws -> HTTPResponse {
    guard request.head.method == "GET" else {
      throw WebFailure.badRequest("events takes GET, not \(request.head.method)")
    }
    guard caller.isUser else {
      throw WebFailure(
        .authenticationRequired,
        "events are a user's: sign in, and send ckWebAuthToken"
      )
    }
    let query = QueryString(request.head.query)
    var token: [UInt8] = []
    if let text = request.head.header("last-event-id") ?? query["lastEventId"] {
      guard let bytes = Base64.decode(text) else {
        throw WebFailure.badRequest("Last-Event-ID is not the ID of an event")
      }
      token = bytes
    }
    guard streams.begin(atMost: settings.streamsMax) else {
      throw WebFailure(.throttled, "\(settings.streamsMax) streams are open", retryAfter: 5)
    }
    let stream = HTTPStream(pendingBytesMax: 1 << 20)
    let session = EventSession(
      notifications: .init(transport),
      hub: hub,
      database: database,
      options: CallOptions(metadata: caller.metadata(device: query["clientId"])),
      stream: stream,
      token: token,
      skipsStored: token.isEmpty && query["from"] == "now"
    )
    Task { [streams, session] in
      var session = session
      await session.run()
      streams.end()
    }
    return HTTPResponse(
      200,
      headers: [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff"),
      ],
      .stream(stream)
    )
  }
}

/// How many streams are open.
final class StreamCount: Sendable {
  private let count = Mutex(0)

  func begin(atMost countMax: Int) -> Bool {
    count.withLock { count in
      guard count < countMax else { return false }
      count += 1
      return true
    }
  }

  func end() { count.withLock { $0 -= 1 } }
}

/// A line for each request, without its query: tokens are in it.
enum RequestLog {
  static func write(_ head: HTTPHead, _ status: Int, _ uuid: String, _ duration: Duration) {
    let path = String(
      head.path.prefix(200).unicodeScalars.map {
        $0.value < 0x21 || $0.value > 0x7E ? "?" : Character($0)
      }
    )
    let milliseconds =
      Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    let line =
      "\(uuid) \(head.method.prefix(16)) \(shown(path)) \(status) \((milliseconds * 100).rounded() / 100) ms\n"
    line.utf8CString.withUnsafeBytes {
      _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count - 1)
    }
  }

  /// Sealed URLs are secrets.
  private static func shown(_ path: String) -> String {
    let parts = path.split(separator: "/")
    guard let first = parts.first, first == "assets" || first == "courier" else { return path }
    return "/\(first)/…"
  }
}

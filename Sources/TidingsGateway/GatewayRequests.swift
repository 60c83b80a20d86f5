internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsWeb

/// Sends each request to where it is answered.
struct GatewayRequests: Sendable {
  private let settings: GatewaySettings
  private let database: DatabaseRequests
  private let assets: AssetRequests
  private let devices: DeviceRequests
  private let authentication: Authentication
  private let signIn: SignIn
  private let events: EventRequests
  let streams: Slots
  let uploads: Slots
  let metrics = GatewayMetrics()
  let tracing: RequestTracing?
  private let dashboard: DashboardRequests
  private let log: RequestLog
  /// In development mode: who may call.
  private let localCallers: LocalCallers?
  let hub: EventHub

  init(
    _ settings: GatewaySettings,
    transport: any ClientTransport,
    urls: SealedURLs,
    hub: EventHub,
    tracer: Tracer?
  ) throws {
    (self.settings, self.hub) = (settings, hub)
    tracing = tracer.map { RequestTracing(tracer: $0) }
    let transport: any ClientTransport =
      tracer.map { TracedTransport(transport: transport, tracer: $0) } ?? transport
    log = RequestLog(
      logger: settings.logger,
      logsRequests: settings.logsRequests,
      trustedProxies: settings.trustedProxies
    )
    localCallers = settings.keys == nil ? LocalCallers(publicURL: settings.publicURL) : nil
    streams = Slots(settings.streamsMax, ofOne: settings.streamsPerUserMax)
    uploads = Slots(settings.uploadsMax, ofOne: settings.uploadsPerUserMax)
    let handles = SessionHandles(transport)
    events = EventRequests(
      transport: transport,
      hub: hub,
      handles: handles,
      slots: streams,
      tracing: tracing
    )
    database = DatabaseRequests(
      transport: transport,
      urls: urls,
      handles: handles,
      names: CallerNames(transport)
    )
    assets = AssetRequests(transport: transport, urls: urls, logger: settings.logger)
    devices = DeviceRequests(
      transport: transport,
      urls: urls,
      handles: handles,
      hub: hub,
      slots: streams
    )
    let credentials = WebCredentials(transport)
    dashboard = try DashboardRequests(
      transport,
      urls,
      isSecure: settings.isHTTPS,
      origin: settings.publicURL.map(Self.origin),
      logger: settings.logger
    )
    authentication = Authentication(
      credentials: credentials,
      isDevelopment: settings.keys == nil,
      dashboard: dashboard
    )
    signIn = SignIn(transport, credentials, urls, trustedProxies: settings.trustedProxies)
  }

  /// What becomes of a request's body: nothing is written for whoever may not upload.
  func plan(_ head: HTTPHead) -> HTTPBodyPlan {
    if let problem = localCallers?.problem(head) {
      let uuid = RequestID.make()
      let response = WebAnswer.failure(WebFailure(.accessDenied, problem), uuid: uuid)
      return .refuse(finish(response, to: head, .unknown, uuid: uuid, after: .zero))
    }
    guard head.path.hasPrefix("/assets/"), ["POST", "PUT"].contains(head.method),
      case .asset(let sealed) = RequestPath(head.path)
    else {
      // Anybody can send reports.
      let isReport =
        head.path.hasPrefix("/dashboard/") && RequestPath(head.path) == .dashboard(.report)
      return .memory(bytesMax: isReport ? 16 << 10 : WebLimits.bodyBytesMax)
    }
    let uuid = RequestID.make()
    do {
      let content = try assets.content(sealed, .upload)
      return .file(
        bytesMax: WebLimits.assetBytesMax + MultipartPart.overheadBytesMax,
        holding: try uploads.takeForUpload(.init(content))
      )
    } catch {
      // Any page may use such a URL, and read why it cannot.
      let response = finish(
        WebAnswer.failure(error, uuid: uuid),
        to: head,
        .asset(sealed: sealed),
        uuid: uuid,
        after: .zero
      )
      return .refuse(CrossOrigin.allow(head.header("origin"), response))
    }
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let uuid = RequestID.make()
    let path = RequestPath(request.head.path)
    guard let tracing else { return await answer(request, path, uuid: uuid) }
    return await tracing.trace(request, path, uuid: uuid) {
      await answer(request, path, uuid: uuid)
    }
  }

  private func answer(
    _ request: HTTPRequest,
    _ path: RequestPath,
    uuid: String
  ) async -> HTTPResponse {
    let started = ContinuousClock.now
    let origin = request.head.header("origin")
    var response: HTTPResponse
    if request.head.method == "OPTIONS" {
      response = CrossOrigin.preflight(request.head)
    } else {
      do {
        response = try await route(request, path, uuid: uuid)
      } catch {
        response = WebAnswer.failure(WebFailure(describing: error), uuid: uuid)
      }
    }
    var isReadable = false
    if let origin, !request.head.path.hasPrefix("/dashboard/") {
      isReadable = await authentication.allows(origin, request.head)
    }
    response = finish(
      response,
      to: request.head,
      path,
      uuid: uuid,
      after: ContinuousClock.now - started
    )
    return CrossOrigin.allow(isReadable ? origin : nil, response)
  }

  /// Adds what every answer has, and notes it in the log and the metrics.
  private func finish(
    _ response: HTTPResponse,
    to head: HTTPHead,
    _ path: RequestPath,
    uuid: String,
    after duration: Duration
  ) -> HTTPResponse {
    var response = response
    if !response.headers.contains(where: { $0.name == WebAnswer.requestID }) {
      response.headers.append((WebAnswer.requestID, uuid))
    }
    if settings.strictTransportSeconds > 0 {
      response.headers.append(
        ("Strict-Transport-Security", "max-age=\(settings.strictTransportSeconds)")
      )
    }
    metrics.note(path, response.status, duration)
    if log.wants(response.status) { log.add(head, response.status, uuid, duration) }
    return response
  }

  private func route(
    _ request: HTTPRequest,
    _ path: RequestPath,
    uuid: String
  ) async throws -> HTTPResponse {
    switch path {
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
        if name == "users/caller", let token = try await signIn.renewed(caller, uuid: uuid) {
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
          baseURL: baseURL(request),
          uuid: uuid
        )
        return WebAnswer.success(answer, uuid: uuid)
      }
    case .asset(let sealed): return try await assets.answer(request, sealed: sealed, uuid: uuid)
    case .courier(let sealed):
      // Whoever reads only the head would take a notification and lose it.
      guard ["GET", "POST"].contains(request.head.method) else {
        throw WebFailure.badRequest("a courier takes GET, not \(request.head.method)")
      }
      return try await devices.poll(request.client, sealed: sealed, uuid: uuid)
    case .events(let named):
      return try await answer(request, named) {
        try await events.answer(request, named, of: $0, uuid: uuid)
      }
    case .signIn(let step): return try await signIn.answer(request, step, uuid: uuid)
    case .dashboardFile(let name): return try DashboardFiles.answer(request.head, name)
    case .dashboard(let step): return await dashboard.answer(request, step, uuid: uuid)
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

  /// Scheme, host and port of a URL.
  private static func origin(_ url: String) -> String {
    url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
      .joined(separator: "/")
  }

  private func baseURL(_ request: HTTPRequest) -> String {
    if let url = settings.publicURL { return url }
    let scheme = settings.http.tls == nil ? "http" : "https"
    return "\(scheme)://\(request.head.header("host") ?? settings.http.address.description)"
  }
}

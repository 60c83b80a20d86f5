internal import TidingsHTTP
internal import TidingsRPC
internal import TidingsTracing

/// The span of the request that a task answers.
enum RequestTrace {
  /// `nil`: the task answers none, or it is not recorded.
  @TaskLocal static var current: TraceContext?
}

/// Records the spans of requests, and of the calls that they lead to.
struct RequestTracing: Sendable {
  let tracer: Tracer

  /// Answers a request within a span below its client's, if that is recorded.
  func trace(
    _ request: HTTPRequest,
    _ path: RequestPath,
    uuid: String,
    _ answer: () async -> HTTPResponse
  ) async -> HTTPResponse {
    let endpoint = GatewayMetrics.endpoint(of: path)
    let method = ["GET", "POST", "PUT", "HEAD", "OPTIONS"].first { $0 == request.head.method }
    let name = "\(method ?? "OTHER") \(endpoint)"
    let parent = request.head.header("traceparent").flatMap { TraceContext($0) }
    guard var span = tracer.begin(name, .server, below: parent) else { return await answer() }
    // A stream lasts longer than its request.
    let isStream = if case .events = path { true } else { false }
    let response = await RequestTrace.$current.withValue(isStream ? nil : span.context) {
      await answer()
    }
    span.end = unixNanoseconds()
    span.attributes = [
      ("http.request.method", .string(method ?? "_OTHER")), ("http.route", .string(endpoint)),
      ("http.response.status_code", .integer(response.status)),
      ("tidings.request_id", .string(uuid)),
    ]
    if response.status >= 500 { span.failure = "HTTP \(response.status)" }
    tracer.record(span)
    return response
  }

  /// Records that notifications were sent to a client of an event stream.
  func recordDelivery(_ pushes: [ReceivedTrace]) {
    let end = unixNanoseconds()
    for push in pushes where push.context.isSampled {
      tracer.record(
        Tracer.child("deliver", .consumer, of: push.context, from: push.received, to: end)
      )
    }
  }
}

/// The span of a push, and when it arrived.
struct ReceivedTrace {
  let context: TraceContext
  /// In nanoseconds since 1970.
  let received: Int64
}

/// Makes calls within spans below that of the request.
struct TracedTransport: ClientTransport {
  let transport: any ClientTransport
  let tracer: Tracer

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    guard let parent = RequestTrace.current,
      var span = tracer.begin(method.fullName, .client, below: parent)
    else { return try await transport.unary(method, request, options: options) }
    defer { tracer.record(span) }
    do {
      let answer = try await transport.unary(
        method,
        request,
        options: options.with(span.context)
      )
      span.end = unixNanoseconds()
      return answer
    } catch {
      span.end = unixNanoseconds()
      span.failure = error.code.description
      throw error
    }
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    guard let parent = RequestTrace.current else {
      return transport.serverStreaming(method, request, options: options)
    }
    return transport.serverStreaming(method, request, options: options.with(parent))
  }
}

extension CallOptions {
  fileprivate func with(_ trace: TraceContext) -> CallOptions {
    var options = self
    options.trace = trace
    return options
  }
}

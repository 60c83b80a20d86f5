internal import TidingsHTTP
internal import TidingsMetrics
internal import TidingsOperator
internal import TidingsProto
internal import TidingsRPC
internal import TidingsTracing

/// What a gateway answers at its operator endpoint.
struct GatewayObservation: Sendable {
  let metrics: GatewayMetrics
  let streams: Slots
  let uploads: Slots
  let transport: any ClientTransport
  let tracer: Tracer?

  /// How long the server may take to say that it is there.
  private static let patience = Duration.seconds(2)

  /// Starts to answer.
  func listen(_ address: HTTPAddress) throws -> OperatorEndpoint {
    try OperatorEndpoint(
      address,
      OperatorEndpoint.Source(
        metrics: { await families() },
        failure: { nil },
        unreadiness: { await isServerUp() ? nil : "the server does not answer" }
      )
    )
  }

  private func families() async -> [MetricFamily] {
    let isUp = await isServerUp()
    let own: [MetricFamily] = [
      .gauge("tidings_up", "1 if the server answers.", isUp ? 1 : 0),
      MetricFamily(
        "tidings_build_info",
        .gauge,
        "Always 1, with the version of the program.",
        [Metric("version", Version.current, 1)]
      ),
      .gauge("tidings_event_streams", "Open event streams and courier polls.", streams.takenCount),
      .gauge("tidings_uploads", "Uploads of assets that are going on.", uploads.takenCount),
    ]
    return own + metrics.families + (tracer?.families ?? []) + ProcessMetrics.families()
  }

  private func isServerUp() async -> Bool {
    let health = TidingsRpcV1.HealthService.Client(transport)
    let response = try? await health.check(.init(), options: CallOptions(timeout: Self.patience))
    return response?.status == .serving
  }
}

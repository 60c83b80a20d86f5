internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Encodes spans as a request of the OpenTelemetry Protocol.
struct OTLPRequest: Sendable {
  private let resource: TidingsTraceV1.Resource
  private let scope: TidingsTraceV1.InstrumentationScope

  init(_ settings: TraceSettings, version: String) {
    let own = [("service.name", settings.serviceName), ("service.version", version)]
    let named = settings.resource.filter { pair in !own.contains { $0.0 == pair.name } }
    resource = .init(
      attributes: (own + named.map { ($0.name, $0.value) }).map { .init($0.0, .string($0.1)) }
    )
    scope = .init(name: "tidings", version: version)
  }

  func encode(_ spans: [Span]) -> [UInt8] {
    TidingsTraceV1.ExportTraceServiceRequest(
      resourceSpans: [
        .init(
          resource: resource,
          scopeSpans: [.init(scope: scope, spans: spans.map { .init($0) })]
        )
      ]
    ).encoded()
  }
}

extension TidingsTraceV1.Span {
  fileprivate init(_ span: Span) {
    self.init(
      traceID: span.context.traceID.bytes,
      spanID: span.context.spanID.bytes,
      parentSpanID: span.parent?.bytes ?? [],
      name: span.name,
      kind: .init(rawValue: span.kind.rawValue),
      startTimeUnixNano: UInt64(max(0, span.start)),
      endTimeUnixNano: UInt64(max(span.start, span.end)),
      attributes: span.attributes.map { .init($0.name, $0.value) },
      links: span.links.prefix(Span.linksMax).map {
        .init(traceID: $0.traceID.bytes, spanID: $0.spanID.bytes)
      },
      status: span.failure.map { .init(message: $0, code: .error) }
    )
  }
}

extension TidingsTraceV1.KeyValue {
  fileprivate init(_ name: String, _ value: Span.Value) {
    switch value {
    case .string(let text): self.init(key: name, value: .init(value: .stringValue(text)))
    case .integer(let number): self.init(key: name, value: .init(value: .intValue(Int64(number))))
    }
  }
}

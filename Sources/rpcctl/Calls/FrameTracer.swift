internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// Observes the frames of calls: counts requests, and logs all frames with `--trace`.
final class FrameTracer: Sendable {
  private let output: Output
  private let logsFrames: Bool
  private let sent = Atomic(0)
  /// The methods of calls in flight, by call number.
  private let methods = Mutex<[UInt64: String]>([:])

  init(_ output: Output, logsFrames: Bool) {
    self.output = output
    self.logsFrames = logsFrames
  }

  /// The number of requests sent so far, including retries.
  var sentCount: Int { sent.load(ordering: .relaxed) }

  func observe(_ frames: ObservedFrames) {
    switch frames {
    case .sent(let header, let body):
      sent.add(1, ordering: .relaxed)
      if logsFrames { logRequest(header, body) }
    case .received(let header, let body):
      if logsFrames { logResponse(header, body) }
    }
  }

  private func logRequest(_ bytes: [UInt8], _ body: [UInt8]) {
    guard let header = try? TidingsRpcV1.RequestHeader(decoding: bytes) else { return }
    methods.withLock { methods in
      if !header.method.isEmpty { methods[header.callID] = header.method }
    }
    log(">", header, body, Self.types[header.method]?.input)
  }

  private func logResponse(_ bytes: [UInt8], _ body: [UInt8]) {
    guard let header = try? TidingsRpcV1.ResponseHeader(decoding: bytes) else { return }
    let method = methods.withLock { methods in
      header.endOfStream ? methods.removeValue(forKey: header.callID) : methods[header.callID]
    }
    log("<", header, body, Self.types[method ?? ""]?.output)
  }

  /// The message types of the methods of Tidings' own services, by the method's full name.
  private static let types: [String: (input: String, output: String)] = {
    let schema = try? Contract.transcoder.get().schema
    var types: [String: (input: String, output: String)] = [:]
    for service in schema?.services ?? [] {
      for method in service.methods {
        types["\(service.name)/\(method.name)"] = (method.inputType, method.outputType)
      }
    }
    return types
  }()

  private func log<Header: Message>(
    _ arrow: String,
    _ header: Header,
    _ body: [UInt8],
    _ type: String?
  ) {
    let json = (try? Contract.json(header)).map(Redaction.redacted)
    output.warn("rpcctl: \(arrow) \(json?.description ?? "a header")")
    guard !body.isEmpty else { return }
    // Bytes that cannot be decoded may contain secrets.
    let content = type.flatMap { try? Contract.transcoder.get().decode(body, as: $0) }
      .map { Redaction.redacted($0).description }
    let text = content.map {
      $0.count > Self.shownCountMax ? $0.prefix(Self.shownCountMax) + "…" : $0
    }
    output.warn("rpcctl: \(arrow) \(counted(body.count, "byte")) \(text ?? "")")
  }

  /// Longest body that is logged, in characters.
  private static let shownCountMax = 4000
}

internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// Looks at the frames of calls: counts what is sent, and tells all of them with `--trace`.
final class FrameTracer: Sendable {
  private let output: Output
  private let tellsFrames: Bool
  private let sent = Atomic(0)
  /// The methods of calls that were sent, by the call's number.
  private let methods = Mutex<[UInt64: String]>([:])

  init(_ output: Output, tellsFrames: Bool) {
    self.output = output
    self.tellsFrames = tellsFrames
  }

  /// How many calls were sent so far, repetitions included.
  var sentCount: Int { sent.load(ordering: .relaxed) }

  func observe(_ frames: ObservedFrames) {
    switch frames {
    case .sent(let header, let body):
      sent.add(1, ordering: .relaxed)
      if tellsFrames { tellRequest(header, body) }
    case .received(let header, let body):
      if tellsFrames { tellResponse(header, body) }
    }
  }

  private func tellRequest(_ bytes: [UInt8], _ body: [UInt8]) {
    guard let header = try? TidingsRpcV1.RequestHeader(decoding: bytes) else { return }
    methods.withLock { methods in
      if !header.method.isEmpty { methods[header.callID] = header.method }
    }
    tell(">", header, body, Self.types[header.method]?.input)
  }

  private func tellResponse(_ bytes: [UInt8], _ body: [UInt8]) {
    guard let header = try? TidingsRpcV1.ResponseHeader(decoding: bytes) else { return }
    let method = methods.withLock { methods in
      header.endOfStream ? methods.removeValue(forKey: header.callID) : methods[header.callID]
    }
    tell("<", header, body, Self.types[method ?? ""]?.output)
  }

  /// The messages of the methods of Tidings' own services, by the method's full name.
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

  private func tell<Header: Message>(
    _ arrow: String,
    _ header: Header,
    _ body: [UInt8],
    _ type: String?
  ) {
    let json = (try? Contract.json(header)).map(Redaction.redacted)
    output.tellAlways("rpcctl: \(arrow) \(json?.description ?? "a header")")
    guard !body.isEmpty else { return }
    // Bytes that cannot be read may hold anything.
    let content = type.flatMap { try? Contract.transcoder.get().decode(body, as: $0) }
      .map { Redaction.redacted($0).description }
    let text = content.map {
      $0.count > Self.shownCountMax ? $0.prefix(Self.shownCountMax) + "…" : $0
    }
    output.tellAlways("rpcctl: \(arrow) \(counted(body.count, "byte")) \(text ?? "")")
  }

  /// Most characters of a body that are shown.
  private static let shownCountMax = 4000
}

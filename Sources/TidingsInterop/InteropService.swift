public import TidingsRPC

/// The service of gRPC's interoperability tests, on bytes.
///
/// A request is a list of 32-bit little-endian numbers, then whatever is left.
public struct InteropService: RPCService {
  /// The service's full name.
  public static let name = "tidings.test.InteropService"

  private static func method(
    _ name: String,
    _ kind: MethodDescriptor.Kind = .unary,
    _ idempotency: MethodDescriptor.Idempotency = .unknown
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: Self.name,
      name: name,
      kind: kind,
      idempotency: idempotency,
      inputType: "tidings.test.Bytes",
      outputType: "tidings.test.Bytes"
    )
  }

  /// Answers nothing with nothing.
  public static let empty = method("Empty", .unary, .noSideEffects)
  /// [size], payload: answers so many bytes.
  public static let sized = method("Sized")
  /// [size, size, …]: sends messages of these sizes.
  public static let sizes = method("Sizes", .serverStreaming)
  /// [code], message: fails.
  public static let fail = method("Fail")
  /// Answers the metadata's values, sorted by key, with newlines.
  public static let echoMetadata = method("EchoMetadata")
  /// Answers when it is cancelled, and notes both ends.
  public static let hang = method("Hang")
  /// Like `hang`, and may be repeated.
  public static let hangSafely = method("HangSafely", .unary, .idempotent)
  /// Answers once the probe is released.
  public static let hold = method("Hold")
  /// [n]: sends n messages as fast as it may, then ends.
  public static let flood = method("Flood", .serverStreaming)
  /// Sends one message, then hangs.
  public static let firstThenHang = method("FirstThenHang", .serverStreaming)
  /// Not in the descriptor.
  public static let missing = method("Missing")

  /// Without a schema: requests and responses are bytes.
  public static let descriptor = ServiceDescriptor(
    name: name,
    methods: [
      empty, sized, sizes, fail, echoMetadata, hang, hangSafely, hold, flood, firstThenHang,
    ],
    fileDescriptors: []
  )

  /// Sees what the service does.
  public let probe: Probe
  private let hangs: Bool

  /// A service.
  ///
  /// - Parameters:
  ///   - probe: Sees what it does.
  ///   - hangs: Whether methods that hang do; otherwise they answer at once.
  public init(probe: Probe = Probe(), hangs: Bool = true) {
    self.probe = probe
    self.hangs = hangs
  }

  /// A request: numbers of 32 bits, little-endian, and what follows.
  public static func numbers(_ numbers: [UInt32], _ rest: [UInt8] = []) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
      + rest
  }

  /// Answers a unary call.
  public func handleUnary(_ call: ServerCall, _ request: [UInt8]) async throws -> [UInt8] {
    probe.note {
      $0.started += 1
      $0.seenMetadata = call.metadata
    }
    switch call.method.name {
    case "Empty": return []
    case "Sized":
      probe.note { $0.executed += 1 }
      return [UInt8](repeating: 7, count: Int(number(request, 0)))
    case "Fail":
      throw RPCError(
        StatusCode(rawValue: number(request, 0)),
        String(decoding: request.dropFirst(4), as: UTF8.self),
        details: [.init(typeURL: "type.googleapis.com/tidings.test.Detail", value: [1, 2, 3])]
      )
    case "EchoMetadata":
      let values = call.metadata.entries.sorted { $0.key < $1.key }.map(\.value)
      return Array(values.joined(separator: "\n").utf8)
    case "Hang", "HangSafely":
      if hangs { try await hang() }
      return []
    case "Hold":
      await probe.wait { $0.isReleased }
      return [1]
    default: throw RPCError(.unimplemented, call.method.name)
    }
  }

  /// Answers a streaming call.
  public func handleServerStreaming(
    _ call: ServerCall,
    _ request: [UInt8],
    _ writer: any ResponseWriter
  ) async throws {
    probe.note { $0.started += 1 }
    switch call.method.name {
    case "Sizes":
      for index in 0..<request.count / 4 {
        try await writer.write([UInt8](repeating: 9, count: Int(number(request, index))))
      }
    case "Flood":
      for index in 0..<number(request, 0) {
        do {
          try await writer.write(Self.numbers([index]))
        } catch {
          probe.note { $0.cancelled += 1 }
          throw error
        }
        probe.note {
          $0.written += 1
          $0.aheadMax = max($0.aheadMax, $0.written - $0.consumed)
        }
      }
    case "FirstThenHang":
      try await writer.write([1])
      try await hang()
    default: throw RPCError(.unimplemented, call.method.name)
    }
  }

  /// Waits, without a clock, for the cancellation that is to come.
  private func hang() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    probe.note { $0.cancelled += 1 }
    try Task.checkCancellation()
  }

  private func number(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[index * 4 + $1]) << (8 * UInt32($1)) }
  }
}

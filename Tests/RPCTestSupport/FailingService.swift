public import TidingsRPC

/// Answers every call with the same failure.
public struct FailingService: RPCService {
  public static let unary = method("Unary", .unary)
  public static let stream = method("Stream", .serverStreaming)
  public static let descriptor = ServiceDescriptor(
    name: "tidings.test.FailingService",
    methods: [unary, stream],
    fileDescriptors: []
  )

  private let failure: any Error

  public init(_ failure: any Error) { self.failure = failure }

  public func handleUnary(_ call: ServerCall, _ request: [UInt8]) async throws -> [UInt8] {
    throw failure
  }

  public func handleServerStreaming(
    _ call: ServerCall,
    _ request: [UInt8],
    _ writer: any ResponseWriter
  ) async throws { throw failure }

  private static func method(_ name: String, _ kind: MethodDescriptor.Kind) -> MethodDescriptor {
    MethodDescriptor(
      service: "tidings.test.FailingService",
      name: name,
      kind: kind,
      idempotency: .unknown,
      inputType: "google.protobuf.Empty",
      outputType: "google.protobuf.Empty"
    )
  }
}

internal import TidingsRPC

/// Calls begin when there is a connection, so that their time is their own.
struct ConnectingTransport: ClientTransport {
  private let transport: any ClientTransport
  private let wait: ConnectionWait
  private let patience: Duration

  init(_ transport: any ClientTransport, _ wait: ConnectionWait, patience: Duration) {
    (self.transport, self.wait, self.patience) = (transport, wait, patience)
  }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    try await wait.end(within: patience)
    return try await transport.unary(method, request, options: options)
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    transport.serverStreaming(method, request, options: options)
  }
}

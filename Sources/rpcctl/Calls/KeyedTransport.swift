internal import Synchronization
internal import TidingsRPC

/// Adds the key of `--idempotency-key` to calls that change data.
///
/// The first call has the key itself, the second `KEY-2` and so on: a repeated command that makes the
/// same calls gets the same responses.
final class KeyedTransport: ClientTransport {
  private let transport: any ClientTransport
  private let key: String
  private let count = Mutex(0)

  init(_ transport: any ClientTransport, key: String) {
    self.transport = transport
    self.key = key
  }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    try await transport.unary(method, request, options: keyed(options, method))
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    transport.serverStreaming(method, request, options: keyed(options, method))
  }

  private func keyed(_ options: CallOptions, _ method: MethodDescriptor) -> CallOptions {
    guard method.idempotency != .noSideEffects, options.idempotencyKey == nil else {
      return options
    }
    let number = count.withLock { count in
      count += 1
      return count
    }
    var options = options
    options.idempotencyKey = number == 1 ? key : "\(key)-\(number)"
    return options
  }
}

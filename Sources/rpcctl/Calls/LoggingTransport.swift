internal import TidingsRPC

/// Tells each call when it is over: `--verbose`.
struct LoggingTransport: ClientTransport {
  let transport: any ClientTransport
  let frames: FrameTracer
  let output: Output

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    let (begin, sentCount) = (ContinuousClock.now, frames.sentCount)
    func tell(_ end: String) {
      let attempts = frames.sentCount - sentCount
      output.tellAlways(
        "rpcctl: \(method.fullName): \(end), \(Self.milliseconds(.now - begin)) ms"
          + (attempts > 1 ? ", \(attempts) attempts" : "")
      )
    }
    do throws(RPCError) {
      let response = try await transport.unary(method, request, options: options)
      tell("OK, \(request.count) bytes sent, \(response.count) received")
      return response
    } catch {
      tell("\(error.code)")
      throw error
    }
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    output.tellAlways("rpcctl: \(method.fullName): stream begins, \(request.count) bytes sent")
    return transport.serverStreaming(method, request, options: options)
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .microseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

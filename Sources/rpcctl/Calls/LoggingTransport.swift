internal import TidingsRPC

/// Logs each completed call: `--verbose`.
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
    func log(_ end: String) {
      let attempts = frames.sentCount - sentCount
      output.warn(
        "rpcctl: \(method.fullName): \(end), \(Self.milliseconds(.now - begin)) ms"
          + (attempts > 1 ? ", \(attempts) attempts" : "")
      )
    }
    do throws(RPCError) {
      let response = try await transport.unary(method, request, options: options)
      log("OK, \(request.count) bytes sent, \(response.count) received")
      return response
    } catch {
      log("\(error.code)")
      throw error
    }
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    output.warn("rpcctl: \(method.fullName): stream started, \(request.count) bytes sent")
    return transport.serverStreaming(method, request, options: options)
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .microseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

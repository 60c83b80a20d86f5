internal import TidingsProto
internal import TidingsRPC

/// A call that the runner asks for.
struct Invocation: Sendable {
  private let task: TidingsConformanceV1.Invoke
  private let transport: any ClientTransport

  init(_ task: TidingsConformanceV1.Invoke, _ transport: any ClientTransport) {
    self.task = task
    self.transport = transport
  }

  private var method: MethodDescriptor {
    let parts = task.method.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return MethodDescriptor(
      service: String(parts.first ?? ""),
      name: String(parts.last ?? ""),
      kind: task.isStream ? .serverStreaming : .unary,
      idempotency: task.isSafe || Fault.current == .repeatsUnsafeCalls ? .noSideEffects : .unknown,
      inputType: "",
      outputType: ""
    )
  }

  private var options: CallOptions {
    var options = CallOptions()
    if task.timeoutMs > 0 { options.timeout = .milliseconds(task.timeoutMs) }
    for (key, value) in task.metadata { options.metadata[key] = value }
    if !task.idempotencyKey.isEmpty { options.idempotencyKey = task.idempotencyKey }
    return options
  }

  /// Makes the call to its end.
  func result() async -> TidingsConformanceV1.CallResult {
    let call = Task { await made() }
    let alarm =
      task.cancelAfterMs == 0
      ? nil
      : Task { [task] in
        try await Task.sleep(for: .milliseconds(task.cancelAfterMs))
        call.cancel()
      }
    defer { alarm?.cancel() }
    return await call.value
  }

  private func made() async -> TidingsConformanceV1.CallResult {
    var result = TidingsConformanceV1.CallResult()
    do throws(RPCError) {
      guard task.isStream else {
        result.responses = [try await transport.unary(method, task.request, options: options)]
        return result
      }
      let stream = transport.serverStreaming(method, task.request, options: options)
      for try await message in stream {
        result.responses.append(message)
        if result.responses.count == Int(task.cancelAfterMessages) {
          throw RPCError(.cancelled, "given up after \(result.responses.count) messages")
        }
      }
    } catch {
      result.status = error.code.rawValue
      result.message = error.message
      result.details = error.details.map { .init(typeURL: $0.typeURL, value: $0.value) }
    }
    if Fault.current == .hidesFailures { result.status = 0 }
    return result
  }
}

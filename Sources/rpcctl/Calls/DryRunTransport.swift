internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// A transport for `--dry-run`, on which no call changes anything.
///
/// Methods without side effects are called. If the request has a `dry_run` field, the method is called
/// with it set, and the server returns what would happen. Other calls are printed instead.
final class DryRunTransport: ClientTransport {
  private let transport: any ClientTransport
  private let output: Output
  private let endedHere = Atomic(false)
  private let asked = Atomic(false)

  init(_ transport: any ClientTransport, _ output: Output) {
    self.transport = transport
    self.output = output
  }

  /// A call was printed instead of made, so that the verb could not continue.
  var hasEnded: Bool { endedHere.load(ordering: .relaxed) }

  /// Something would have been changed.
  var hasSkippedCalls: Bool { hasEnded || asked.load(ordering: .relaxed) }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    guard let request = try passing(method, request) else { throw preview(method, request) }
    return try await transport.unary(method, request, options: options)
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    do throws(RPCError) {
      guard let request = try passing(method, request) else {
        return .failed(preview(method, request))
      }
      return transport.serverStreaming(method, request, options: options)
    } catch {
      return .failed(error)
    }
  }

  /// Returns the request as it may be sent; `nil`: it must not be sent.
  private func passing(
    _ method: MethodDescriptor,
    _ request: [UInt8]
  ) throws(RPCError) -> [UInt8]? {
    if method.idempotency == .noSideEffects { return request }
    let request = try asking(method, request)
    if request != nil { asked.store(true, ordering: .relaxed) }
    return request
  }

  /// Returns the request with its `dry_run` set; `nil`: it has none.
  private func asking(
    _ method: MethodDescriptor,
    _ request: [UInt8]
  ) throws(RPCError) -> [UInt8]? {
    do {
      switch method.inputType {
      case TidingsV1.ModifyRecordsRequest.messageName:
        var message = try TidingsV1.ModifyRecordsRequest(decoding: request)
        message.dryRun = true
        return message.encoded()
      case TidingsV1.ApplySchemaRequest.messageName:
        var message = try TidingsV1.ApplySchemaRequest(decoding: request)
        message.dryRun = true
        return message.encoded()
      case TidingsV1.DeploySchemaRequest.messageName:
        var message = try TidingsV1.DeploySchemaRequest(decoding: request)
        message.dryRun = true
        return message.encoded()
      case TidingsV1.ResetDevelopmentRequest.messageName:
        var message = try TidingsV1.ResetDevelopmentRequest(decoding: request)
        message.dryRun = true
        return message.encoded()
      default: return nil
      }
    } catch {
      throw RPCError(
        .invalidArgument,
        "the request of \(method.fullName): \(error)",
        cause: error
      )
    }
  }

  /// Prints a call that is not made.
  private func preview(_ method: MethodDescriptor, _ request: [UInt8]) -> RPCError {
    let json =
      (try? Contract.transcoder.get().decode(request, as: method.inputType))
      ?? .object(["base64": .string(Base64.encode(request))])
    if output.format == .table {
      output.write(text: "would call \(method.fullName)\n\(json.prettyDescription)\n")
    } else {
      output.write(.object(["wouldCall": .string(method.fullName), "request": json]))
    }
    endedHere.store(true, ordering: .relaxed)
    return RPCError(.cancelled, "--dry-run: \(method.fullName) was not called")
  }
}

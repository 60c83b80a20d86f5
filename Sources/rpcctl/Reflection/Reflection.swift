internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// The descriptors of a server's services.
enum Reflection {
  /// Fetches the descriptors of the server's services.
  static func fetchSchema(
    _ transport: any ClientTransport,
    _ invocation: Invocation
  ) async throws -> Schema {
    let response = try await TidingsRpcV1.ReflectionService.Client(transport)
      .fetchFileDescriptorSet(.init(), options: invocation.callOptions)
    return try Schema(fileDescriptorSet: response.fileDescriptorSet)
  }

  /// Returns the method `package.Service/Method`, or `Service/Method` if one service has that name.
  static func method(
    _ name: String,
    _ schema: Schema
  ) throws(UsageError)
    -> (MethodDescriptor, Schema.Method)
  {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw UsageError(
        "invalid method '\(name)': use SERVICE/METHOD; list services with `rpcctl describe`"
      )
    }
    let service = try service(parts[0], schema)
    guard let method = service.methods.first(where: { $0.name == parts[1] }) else {
      let names = service.methods.map(\.name)
      let near = didYouMean(parts[1], among: names)
      throw UsageError(
        "unknown method '\(parts[1])' of \(service.name)"
          + (near.isEmpty ? ": use \(names.joined(separator: ", "))" : near)
      )
    }
    guard !method.isClientStreaming else {
      throw UsageError("\(name) takes a stream of requests, which rpcctl does not support")
    }
    let idempotency: MethodDescriptor.Idempotency =
      switch method.idempotency {
      case .unknown: .unknown
      case .noSideEffects: .noSideEffects
      case .idempotent: .idempotent
      }
    let descriptor = MethodDescriptor(
      service: service.name,
      name: method.name,
      kind: method.isServerStreaming ? .serverStreaming : .unary,
      idempotency: idempotency,
      inputType: method.inputType,
      outputType: method.outputType
    )
    return (descriptor, method)
  }

  /// Returns the service with a name, with or without its package.
  static func service(_ name: String, _ schema: Schema) throws(UsageError) -> Schema.Service {
    let services = schema.services
    if let service = services.first(where: { $0.name == name }) { return service }
    let candidates = services.filter { $0.name.hasSuffix("." + name) }
    if candidates.count == 1 { return candidates[0] }
    if candidates.count > 1 {
      throw UsageError(
        "ambiguous name '\(name)': use \(candidates.map(\.name).joined(separator: " or "))"
      )
    }
    let near =
      nearest(to: name, among: services.map(\.name))
      ?? nearest(to: name, among: services.map { shortName($0.name) })
    throw UsageError(
      "unknown service '\(name)'" + (near.map { "; did you mean \($0)?" } ?? "")
    )
  }

  /// Returns the full name of the message with a name, with or without its package.
  static func message(_ name: String, _ schema: Schema) throws(UsageError) -> String {
    let names = schema.messages.values.filter { !$0.isMapEntry }.map(\.name)
    if names.contains(name) { return name }
    let candidates = names.filter { $0.hasSuffix("." + name) }.sorted()
    if candidates.count == 1 { return candidates[0] }
    if candidates.count > 1 {
      throw UsageError("ambiguous name '\(name)': use \(candidates.joined(separator: " or "))")
    }
    let near = nearest(to: name, among: names) ?? nearest(to: name, among: names.map(shortName))
    throw UsageError(
      "unknown message '\(name)'" + (near.map { "; did you mean \($0)?" } ?? "")
    )
  }

  /// The last component of a full name.
  static func shortName(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }
}

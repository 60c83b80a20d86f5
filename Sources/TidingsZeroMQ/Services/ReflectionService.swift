public import TidingsProto
public import TidingsRPC

/// Describes services to generic tools, which need no .proto files then.
public struct ReflectionService: TidingsRpcV1.ReflectionService.Server {
  private let services: [ServiceDescriptor]

  /// Describes the services given.
  public init(_ services: [ServiceDescriptor]) { self.services = services }

  /// Returns the services, sorted by name.
  public func listServices(
    _ request: TidingsRpcV1.ListServicesRequest,
    call: ServerCall
  ) async throws -> TidingsRpcV1.ListServicesResponse {
    list
  }

  /// Returns the descriptors of all services, with everything they import.
  public func fetchFileDescriptorSet(
    _ request: TidingsRpcV1.FetchFileDescriptorSetRequest,
    call: ServerCall
  ) async throws -> TidingsRpcV1.FetchFileDescriptorSetResponse {
    fileDescriptorSet
  }

  var list: TidingsRpcV1.ListServicesResponse {
    .init(
      services: services.sorted { $0.name < $1.name }.map { service in
        .init(name: service.name, methods: service.methods.map(Self.describe))
      }
    )
  }

  /// `FileDescriptorSet` has one field, the files; each is here once, imports before importers.
  var fileDescriptorSet: TidingsRpcV1.FetchFileDescriptorSetResponse {
    var seen: Set<[UInt8]> = []
    var set: [UInt8] = []
    for file in services.flatMap(\.fileDescriptors) where seen.insert(file).inserted {
      set.append(1 << 3 | 2)
      var length = file.count
      while length >= 0x80 {
        set.append(UInt8(truncatingIfNeeded: length) | 0x80)
        length >>= 7
      }
      set.append(UInt8(length))
      set += file
    }
    return .init(fileDescriptorSet: set)
  }

  private static func describe(
    _ method: MethodDescriptor
  ) -> TidingsRpcV1.ListServicesResponse.Method {
    .init(
      name: method.name,
      inputType: method.inputType,
      outputType: method.outputType,
      serverStreaming: method.kind == .serverStreaming,
      safe: method.idempotency == .noSideEffects
    )
  }
}

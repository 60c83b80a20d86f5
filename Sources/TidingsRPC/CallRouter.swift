/// Finds the service and method that a call names.
public struct CallRouter: Sendable {
  /// A method and the service that answers it.
  public struct Route: Sendable {
    /// The method.
    public let method: MethodDescriptor
    /// Who answers it.
    public let service: any RPCService
  }

  private var table = MethodTable<Route>()
  /// The registered services, in the order of registration.
  public private(set) var services: [ServiceDescriptor] = []

  /// A router without services.
  public init() {}

  /// A router with services.
  public init(_ services: [any RPCService]) {
    for service in services { register(service) }
  }

  /// Adds all methods of a service.
  public mutating func register(_ service: some RPCService) {
    let descriptor = type(of: service).descriptor
    services.append(descriptor)
    for method in descriptor.methods {
      table.insert(method, Route(method: method, service: service))
    }
  }

  /// Finds a method by its full name.
  ///
  /// - Throws: `unimplemented`, with different reasons for an unknown service and method.
  public func route(_ fullName: String) throws(RPCError) -> Route {
    let name = Array(fullName.utf8)
    let found = name.withUnsafeBytes { (table.lookup($0), $0.isEmpty) }
    if let route = found.0 { return route }
    throw name.withUnsafeBytes { table.refusal(of: $0) }
  }
}

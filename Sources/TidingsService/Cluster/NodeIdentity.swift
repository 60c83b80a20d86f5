internal import TidingsProto

/// A node of a database, as the others know it.
struct NodeIdentity: Hashable, Sendable {
  /// Unique among the nodes.
  var name: String
  /// Where clients and other nodes call it.
  var rpcEndpoint: String
  /// Where its clients get pushes.
  var pushEndpoint: String
  var version = TidingsServer.version

  init(name: String, rpcEndpoint: String, pushEndpoint: String) {
    (self.name, self.rpcEndpoint, self.pushEndpoint) = (name, rpcEndpoint, pushEndpoint)
  }

  init(_ node: TidingsClusterV1.Node) {
    self.init(name: node.name, rpcEndpoint: node.rpcEndpoint, pushEndpoint: node.pushEndpoint)
    version = node.version
  }

  var message: TidingsClusterV1.Node {
    .init(name: name, version: version, rpcEndpoint: rpcEndpoint, pushEndpoint: pushEndpoint)
  }
}

internal import TidingsEngine
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// A node of a database, as the others know it.
struct NodeIdentity: Hashable, Sendable {
  /// Unique among the nodes.
  var name: String
  /// Where clients and other nodes call it.
  var rpcEndpoint: String
  /// Where its clients get pushes.
  var pushEndpoint: String
  var version = TidingsServer.version
  /// The data format that its program reads and writes; 0: it does not say.
  var format = Migration.format
  var protocols = NodeProtocol.current
  /// The largest message that it takes.
  var frameBytesMax = WireLimits.frameBytesMax

  init(name: String, rpcEndpoint: String, pushEndpoint: String) {
    (self.name, self.rpcEndpoint, self.pushEndpoint) = (name, rpcEndpoint, pushEndpoint)
  }

  init(_ node: TidingsClusterV1.Node) {
    self.init(name: node.name, rpcEndpoint: node.rpcEndpoint, pushEndpoint: node.pushEndpoint)
    version = node.version
    format = Int64(clamping: node.dataFormat)
    protocols = NodeProtocol(node)
    if node.frameBytesMax > 0 { frameBytesMax = Int(node.frameBytesMax) }
  }

  var message: TidingsClusterV1.Node {
    .init(
      name: name,
      version: version,
      rpcEndpoint: rpcEndpoint,
      pushEndpoint: pushEndpoint,
      dataFormat: UInt64(clamping: format),
      protocolOldest: protocols.oldest,
      protocolNewest: protocols.newest,
      frameBytesMax: UInt32(clamping: frameBytesMax)
    )
  }
}

internal import TidingsProto

#if DEBUG
internal import Glibc
#endif

/// The versions of the protocol between nodes (`tidings.cluster.v1`) that a program speaks.
///
/// A field or a method that an older program may ignore needs no version. A new version is for what both have to know; a program
/// speaks the one before too, so that nodes can be upgraded one by one.
struct NodeProtocol: Hashable, Sendable {
  var oldest: UInt32
  var newest: UInt32

  /// Those of this program.
  ///
  /// With the environment variable `TIDINGS_TEST_NODE_PROTOCOL`, a debug build speaks only that one.
  static let current: NodeProtocol = {
    #if DEBUG
    if let text = getenv("TIDINGS_TEST_NODE_PROTOCOL"), let only = UInt32(String(cString: text)) {
      return NodeProtocol(oldest: only, newest: only)
    }
    #endif
    return NodeProtocol(oldest: 1, newest: 1)
  }()

  init(oldest: UInt32, newest: UInt32) { (self.oldest, self.newest) = (oldest, newest) }

  /// Those that a node names; one that names none speaks the first version.
  init(_ node: TidingsClusterV1.Node) {
    self.init(oldest: max(1, node.protocolOldest), newest: max(1, node.protocolNewest))
  }

  /// The newest version that both speak; `nil`: there is none.
  func common(with other: NodeProtocol) -> UInt32? {
    let version = min(newest, other.newest)
    return version >= max(oldest, other.oldest) ? version : nil
  }
}

extension NodeProtocol: CustomStringConvertible {
  var description: String { oldest == newest ? "\(newest)" : "\(oldest) to \(newest)" }
}

extension NodeIdentity {
  /// Why one node cannot follow another one; `nil`: it can.
  ///
  /// - Parameter leader: The node that leads.
  /// - Returns: A message.
  func obstacle(following leader: NodeIdentity) -> String? {
    guard protocols.common(with: leader.protocols) == nil else { return nil }
    return
      "node '\(name)' (version \(version)) and the leader '\(leader.name)' (version \(leader.version)) have no version of the "
      + "protocol between nodes in common (\(protocols); \(leader.protocols)): upgrade in smaller steps"
  }
}

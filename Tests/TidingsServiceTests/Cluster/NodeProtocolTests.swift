internal import Testing
internal import TidingsProto
internal import TidingsProtobuf

@testable internal import TidingsService

@Suite struct NodeProtocolTests {
  private func node(_ name: String, _ oldest: UInt32, _ newest: UInt32) -> NodeIdentity {
    NodeIdentity(
      TidingsClusterV1.Node(
        name: name,
        version: "v-\(name)",
        protocolOldest: oldest,
        protocolNewest: newest
      )
    )
  }

  @Test("two nodes use the newest version that both speak")
  func common() {
    let second = NodeProtocol(oldest: 1, newest: 2)
    #expect(second.common(with: NodeProtocol(oldest: 1, newest: 1)) == 1)
    #expect(second.common(with: NodeProtocol(oldest: 2, newest: 5)) == 2)
    #expect(second.common(with: NodeProtocol(oldest: 3, newest: 4)) == nil)
    // What a peer may send.
    #expect(second.common(with: NodeProtocol(oldest: 9, newest: 0)) == nil)
  }

  @Test("a node that names no version speaks the first one")
  func unnamed() {
    let old = node("old", 0, 0)
    #expect(node("new", 1, 2).obstacle(following: old) == nil)
    #expect(old.obstacle(following: node("new", 2, 3)) != nil)
  }

  @Test("nodes without a common version name both nodes, and what they speak")
  func obstacle() {
    let obstacle = node("a", 2, 3).obstacle(following: node("b", 1, 1)) ?? ""
    for part in ["'a' (version v-a)", "'b' (version v-b)", "2 to 3; 1"] {
      #expect(obstacle.contains(part), "\(obstacle)")
    }
  }

  @Test("what a newer version adds to a request is ignored")
  func unknownFields() throws {
    let request = TidingsClusterV1.FollowRequest(
      node: node("a", 1, 1).message,
      term: 7,
      publication: 8
    )
    // Fields 900 and 901: a number, and bytes.
    let extended = request.encoded() + [0xa0, 0x38, 1, 0xaa, 0x38, 2, 1, 2]
    #expect(try TidingsClusterV1.FollowRequest(decoding: extended) == request)
  }
}

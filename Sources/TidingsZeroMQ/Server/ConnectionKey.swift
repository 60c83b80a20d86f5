/// Tells connections apart: two calls with the same one came on the same connection.
public struct ConnectionKey: Hashable, Sendable {
  private let peer: ReplyToken.Peer

  fileprivate init(_ peer: ReplyToken.Peer) { self.peer = peer }
}

extension ReplyToken {
  /// The connection on which the call came.
  public var connection: ConnectionKey { ConnectionKey(peer) }
}

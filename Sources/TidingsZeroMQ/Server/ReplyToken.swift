/// The right to answer one call: the way back to its client, and the call's id.
///
/// Use it once, on the loop thread, in the turn of the call or any later one.
public struct ReplyToken: Hashable, Sendable {
  /// A connection and what is known of it.
  ///
  /// The key is a part of it: what one key began, no other can cancel or feed.
  struct Peer: Hashable, Sendable {
    let envelope: Envelope
    let keyNumber: Int64?

    var connection: ConnectionNumber? { envelope.connection }
  }

  let peer: Peer
  /// The client's name for the call.
  public let callID: UInt64
  /// For whoever measures the call; no part of its identity.
  var mark = CallMark(started: 0)

  /// Names the caller's connection; no other connection ever has the same.
  public var connection: UInt64 { peer.connection?.value ?? 0 }

  /// They answer the same call.
  public static func == (a: Self, b: Self) -> Bool { a.callID == b.callID && a.peer == b.peer }

  /// What makes it that call's.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(peer)
    hasher.combine(callID)
  }

  /// The way back.
  var envelope: Envelope { peer.envelope }
}

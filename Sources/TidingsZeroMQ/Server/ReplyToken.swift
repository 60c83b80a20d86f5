/// The right to answer one call: the way back to its client, and the call's id.
///
/// Use it once, on the loop thread, in the turn of the call or any later one.
public struct ReplyToken: Hashable, Sendable {
  let envelope: Envelope
  /// The client's name for the call.
  public let callID: UInt64
}

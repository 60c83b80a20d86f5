/// What a subscriber's connection asked for, as libzmq has done it already.
struct SubscriptionNote: Sendable {
  let connection: ConnectionNumber
  /// The connection's descriptor; another connection may have it by now.
  let descriptor: CInt?
  /// The number that the admission gave the connection's key; `nil`: it has none.
  let key: Int64?
  /// The length of the topic; `nil`: it said something that is no topic.
  let topicBytes: Int?
}

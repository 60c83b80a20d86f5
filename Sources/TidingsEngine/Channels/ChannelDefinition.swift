internal import TidingsCodec
internal import TidingsModel

/// What a channel watches, for whom: equal for subscriptions that always fire together.
struct ChannelDefinition {
  /// The subscription without its name.
  let subscription: Subscription
  /// The subscription as it is stored.
  let body: [UInt8]
  /// What names it: the hash of it, its database and its reader.
  let key: [UInt8]

  /// The definition of a subscription's channel.
  ///
  /// - Parameters:
  ///   - subscription: The subscription.
  ///   - database: Its database.
  ///   - reader: The only user who may read the channel; `nil`: everyone may.
  ///   - codec: How it is stored.
  init(
    of subscription: Subscription,
    in database: DatabaseEntry,
    for reader: String?,
    _ codec: BodyCodec
  ) {
    var definition = subscription
    definition.subscriptionID = ""
    body = codec.encode(definition)
    var message = body
    withUnsafeBytes(of: database.number.bigEndian) { message += $0 }
    if let reader {
      // A name has printable characters only: no definition goes on like this.
      message.append(0)
      message += reader.utf8
    }
    self.subscription = definition
    key = Cryptography.hash(message, bytes: 32)
  }
}

internal import TidingsCodec
internal import TidingsEngine
internal import TidingsProto

extension TidingsV1.Subscription {
  /// The subscription as clients see it: with the position from which it is effective.
  init(_ saved: SavedSubscription) {
    self.init(saved.subscription)
    effective = TidingsV1.SubscriptionPosition(
      channelID: String(saved.channel),
      sequenceNumber: UInt64(clamping: saved.since)
    )
  }
}

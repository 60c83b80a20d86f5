/// A notification, as a consumer or a worker got it.
package struct Notice: Hashable, Sendable, CustomStringConvertible {
  /// Names the notification for the user.
  package var id: String
  package var subscription: String
  /// The record that fired it.
  package var record: String
  /// What the record contained; `nil`: it was deleted.
  package var value: Int64?
  /// Why it fired: `created`, `updated`, `deleted`, `entered` or `left`.
  package var reason: String
  package var channel: String
  /// The number in the channel.
  package var number: Int64
  /// The lease, of a work group.
  package var lease: String
  /// How often it was leased.
  package var deliveryCount: Int64

  package init(
    id: String = "",
    subscription: String,
    record: String = "",
    value: Int64? = nil,
    reason: String = "",
    channel: String = "",
    number: Int64 = 0,
    lease: String = "",
    deliveryCount: Int64 = 0
  ) {
    self.id = id
    self.subscription = subscription
    self.record = record
    self.value = value
    self.reason = reason
    self.channel = channel
    self.number = number
    self.lease = lease
    self.deliveryCount = deliveryCount
  }

  package var description: String {
    "\(subscription)#\(number) \(reason) \(Version(record, value))"
      + (lease.isEmpty ? "" : " lease \(lease) of \(id), delivery \(deliveryCount)")
  }
}

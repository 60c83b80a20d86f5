internal import TidingsModel

/// Names one lease: the group, the notification, and how often it was leased.
public struct LeaseID: Hashable, Sendable, LosslessStringConvertible {
  let group: Int64
  let notification: NotificationID
  let number: Int64

  init(group: Int64, notification: NotificationID, number: Int64) {
    self.group = group
    self.notification = notification
    self.number = number
  }

  /// Reads the printed form.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
      .map { Int64($0) }
    guard parts.count == 4, let group = parts[0], let channel = parts[1], let sequence = parts[2],
      let number = parts[3], [group, channel, sequence, number].allSatisfy({ $0 > 0 })
    else { return nil }
    self.init(
      group: group,
      notification: NotificationID(channel: channel, sequence: sequence),
      number: number
    )
  }

  /// The printed form, for example `3-12-345-1`.
  public var description: String { "\(group)-\(notification)-\(number)" }
}

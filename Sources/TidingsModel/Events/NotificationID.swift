/// Names a notification: its channel and the number in it.
public struct NotificationID: Hashable, Sendable, LosslessStringConvertible {
  /// The channel's number.
  public let channel: Int64
  /// The number in the channel.
  public let sequence: Int64

  /// A notification by its channel and number.
  public init(channel: Int64, sequence: Int64) {
    self.channel = channel
    self.sequence = sequence
  }

  /// Reads the printed form.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let channel = Int64(parts[0]), let sequence = Int64(parts[1]),
      channel > 0, sequence > 0
    else { return nil }
    self.init(channel: channel, sequence: sequence)
  }

  /// The printed form, for example `12-345`.
  public var description: String { "\(channel)-\(sequence)" }
}

public import TidingsModel

/// Where a device's notifications are sent when no client runs.
public struct DeliveryTarget: Sendable {
  /// Random; see `idText`.
  let id: Int64
  let inbox: Inbox
  /// The device that added it: its own changes are not sent.
  public let device: String
  /// The newest event when it was added.
  let since: Int64
  /// When it was added the last time.
  public internal(set) var created: Timestamp
  /// Since when every attempt failed; `nil`: the last one did not.
  public internal(set) var failingSince: Timestamp?
  /// Why the last attempt failed.
  public internal(set) var lastError = ""
  /// The encoded address; `nil`: it was sealed with a key that is not there.
  public internal(set) var address: [UInt8]?

  /// Whose it is.
  public var user: String { inbox.user }
  /// 15 hexadecimal digits.
  public var idText: String { Self.text(of: id) }

  static func text(of id: Int64) -> String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: max(0, 15 - digits.count)) + digits
  }

  /// Reads the printed form of an ID.
  static func id(_ text: String) -> Int64? {
    guard text.utf8.count == 15 else { return nil }
    return Int64(text, radix: 16).flatMap { $0 > 0 ? $0 : nil }
  }
}

/// A target with what waits for it.
public struct DeliveryTargetStatus: Sendable {
  /// The target.
  public let target: DeliveryTarget
  /// Deliveries that wait, counted up to a bound.
  public let waiting: Int
  /// Dead letters, counted up to a bound.
  public let deadLetters: Int
}

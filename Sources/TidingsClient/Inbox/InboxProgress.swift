internal import TidingsProto

/// The position of a stream in the log, exact to the notification: a change token, which advances by
/// pages, and what was delivered after it.
package struct InboxProgress: Hashable, Sendable {
  /// The end of a page: when all of it is delivered, its token replaces the numbers in it.
  struct PageEnd: Hashable, Sendable {
    var token: [UInt8]
    /// The log ended with the page: all numbers received before are in it or in an earlier one.
    var isLast: Bool
    /// The channels of the notifications in it, and the read marks.
    var channels: Set<String> = []
    var readMarks: Set<String> = []
  }

  /// Everything up to here was delivered; empty: the start of the log.
  package private(set) var token: [UInt8]
  /// The newest number of each channel that was delivered after the token.
  private(set) var numbers: [String: UInt64]
  /// The read marks that were delivered after the token.
  private(set) var readMarks: Set<String>

  package init(token: [UInt8], numbers: [String: UInt64] = [:], readMarks: Set<String> = []) {
    self.token = token
    self.numbers = numbers
    self.readMarks = readMarks
  }

  /// Whether more channels, or more read marks, than a number have deliveries after the token.
  func hasBeyond(_ count: Int) -> Bool { numbers.count > count || readMarks.count > count }

  /// A notification was delivered.
  mutating func handedOut(_ notification: TidingsV1.Notification) {
    if notification.type != .readNotification, let position = notification.position {
      numbers[position.channelID] = position.sequenceNumber
    } else {
      readMarks.insert(notification.notificationID)
    }
  }

  /// The rest of a page was delivered.
  mutating func ended(_ page: PageEnd) {
    token = page.token
    if page.isLast {
      numbers = [:]
      readMarks = []
    } else {
      for channel in page.channels { numbers[channel] = nil }
      readMarks.subtract(page.readMarks)
    }
  }
}

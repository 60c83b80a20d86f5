internal import TidingsProto

/// Where a stream stands in the log, exact to the notification: a change token, which moves by pages,
/// and what was handed out beyond it.
struct InboxProgress: Hashable, Sendable {
  /// The end of a page: when all of it is handed out, its token says more than what is in it.
  struct PageEnd: Hashable, Sendable {
    var token: [UInt8]
    /// The log ended with the page: all numbers received before are in it or in an earlier one.
    var isLast: Bool
    /// The channels of the notifications in it, and the read marks.
    var channels: Set<String> = []
    var readMarks: Set<String> = []
  }

  /// Notifications beyond the token are of at most so many channels, or so many read marks, until a
  /// look at the log makes them one token.
  static let beyondMax = 256

  /// Everything up to here was handed out; empty: from the oldest notification that is kept.
  private(set) var token: [UInt8]
  /// The newest number of each channel that was handed out beyond the token.
  private(set) var numbers: [String: UInt64]
  /// The read marks that were handed out beyond the token.
  private(set) var readMarks: Set<String>

  init(token: [UInt8], numbers: [String: UInt64] = [:], readMarks: Set<String> = []) {
    self.token = token
    self.numbers = numbers
    self.readMarks = readMarks
  }

  /// So much was handed out beyond the token that a look at the log is due.
  var isFull: Bool { numbers.count > Self.beyondMax || readMarks.count > Self.beyondMax }

  /// A notification was handed out.
  mutating func handedOut(_ notification: TidingsV1.Notification) {
    if notification.type != .readNotification, let position = notification.position {
      numbers[position.channelID] = position.sequenceNumber
    } else {
      readMarks.insert(notification.notificationID)
    }
  }

  /// The rest of a page was handed out.
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

internal import Glibc
internal import TidingsProto

/// What the client does wrong on request (`TIDINGS_CONFORMANCE_FAULT`): proves that the runner notices.
enum Fault: String {
  /// It says that it keeps unknown fields, and drops them.
  case dropsUnknownFields = "drops-unknown-fields"
  /// It takes what does not open for good.
  case acceptsTamperedPushes = "accepts-tampered-pushes"
  /// It repeats calls that are not safe.
  case repeatsUnsafeCalls = "repeats-unsafe-calls"
  /// It receives only what is pushed to it.
  case ignoresLog = "ignores-log"
  /// It hands out every second notification twice.
  case repeatsNotifications = "repeats-notifications"
  /// It takes bytes that are no message for an empty one.
  case acceptsJunk = "accepts-junk"
  /// It says that every call succeeded.
  case hidesFailures = "hides-failures"
  /// It does not answer when it is to make a call.
  case hangs
  /// It ends when it is to make a call.
  case exits
  /// It is ended by a signal when it is to make a call.
  case crashes
  /// It answers a call with bytes that are no result.
  case writesJunk = "writes-junk"
  /// It announces more bytes than any answer has.
  case announcesTooMuch = "announces-too-much"
  /// It answers twice.
  case answersTwice = "answers-twice"

  /// What this run does wrong; `nil`: nothing.
  static let current = getenv("TIDINGS_CONFORMANCE_FAULT").flatMap {
    Fault(rawValue: String(cString: $0))
  }

  /// What it does instead of answering a call; does nothing for the others.
  static func strike(_ action: TidingsConformanceV1.Task.Action?) {
    guard case .invoke? = action else { return }
    switch current {
    case .hangs: while true { pause() }
    case .exits: exit(3)
    case .crashes: raise(SIGKILL)
    case .writesJunk: write([0, 0, 0, 3, 0xff, 0xff, 0xff])
    case .announcesTooMuch: write([0xff, 0xff, 0xff, 0xff])
    case .answersTwice: write([0, 0, 0, 2, 0x20, 0x01])
    default: return
    }
  }

  private static func write(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

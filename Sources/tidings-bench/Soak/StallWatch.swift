import Glibc
import Synchronization
import TidingsThreads

/// How late the machine wakes a thread that only sleeps: what keeps that from running keeps everything else.
final class StallWatch: Sendable {
  private static let intervalMicroseconds: UInt32 = 5_000

  private let longest = Mutex<UInt64>(0)

  /// Watches until the process ends.
  init() {
    startThread { [self] in
      while true {
        let due = Clock.now() + UInt64(Self.intervalMicroseconds) * 1_000
        usleep(Self.intervalMicroseconds)
        let now = Clock.now()
        if now > due { longest.withLock { $0 = max($0, now - due) } }
      }
    }
  }

  /// The longest since the last look, in milliseconds.
  func take() -> Double {
    longest.withLock { longest in
      defer { longest = 0 }
      return Double(longest) / 1e6
    }
  }
}

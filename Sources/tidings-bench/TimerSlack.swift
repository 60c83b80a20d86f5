import Glibc

/// How much later than asked for the system may wake the main thread, 50 µs unless it is changed.
enum TimerSlack {
  /// Lets the main thread wake on time.
  static func remove() throws {
    guard let file = fopen("/proc/self/timerslack_ns", "w") else {
      throw BenchError(system: "removing the timer's slack")
    }
    fputs("1", file)
    fclose(file)
  }
}

import Glibc

/// The processor time of a process: all its threads, user and system, in nanoseconds.
struct ProcessClock {
  /// This process.
  static let own = ProcessClock(id: CLOCK_PROCESS_CPUTIME_ID)

  private let id: clockid_t

  private init(id: clockid_t) { self.id = id }

  /// A child's clock.
  init(of pid: pid_t) throws {
    var id = clockid_t()
    let code = clock_getcpuclockid(pid, &id)
    guard code == 0 else { throw BenchError(system: "reading a process's clock", code: code) }
    self.id = id
  }

  /// Nanoseconds since the process was started; 0 when it has ended.
  func now() -> UInt64 {
    var time = timespec()
    clock_gettime(id, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

internal import Foundation
internal import Synchronization

/// Lets a server see another time of day than the machine has, and other starts of the machine.
///
/// A library that is loaded before the others answers for the system's clock. It is compiled when it is
/// needed, and reads what to add to the clocks from a file that is mapped into memory, so that a test
/// sets the clock while the server runs.
public final class ClockFault: Sendable {
  private let folder: TemporaryFolder
  private let held = Mutex(Duration.zero)

  /// What the server is to be started with.
  public var environment: [String: String] {
    [
      "LD_PRELOAD": folder.file("clock.so"), "CLOCK_FAULT": folder.file("clock"),
      "CLOCK_FAULT_BOOT": folder.file("boot"),
    ]
  }

  /// The clocks of the machine.
  ///
  /// - Throws: `WaitingFailure` when there is no C compiler.
  public init() throws {
    folder = try TemporaryFolder()
    try folder.write([UInt8](repeating: 0, count: 24), to: "clock")
    try startMachine(uptime: .zero)
    _ = try PreloadLibrary.make("clock", source: Self.source, in: folder)
  }

  /// Sets the time of day: so much later than it is, or earlier if negative.
  public func setTimeOfDay(ahead: Duration) throws { try write(ahead, at: 0) }

  /// Lets a server that is started from now on see a machine that was just started; what runs must not.
  ///
  /// - Parameter uptime: How much longer than the machine of the tests it runs, or shorter if negative.
  /// - Throws: When the files of the clock cannot be written.
  public func startMachine(uptime: Duration) throws {
    try write(uptime, at: 8)
    try folder.write(Array("\(UUID().uuidString.lowercased())\n".utf8), to: "boot")
  }

  /// Lets the time stand still that a server measures durations with, so that nothing ends by itself.
  public func holdUptime() throws {
    held.withLock { $0 = Self.uptime }
    try passUptime(.zero)
  }

  /// Lets so much pass of the time that was held.
  public func passUptime(_ duration: Duration) throws {
    let shown = held.withLock { held in
      held += duration
      return held
    }
    try write(shown, at: 16)
  }

  /// Lets that time pass again by itself, from where it was held.
  public func releaseUptime() throws {
    try write(held.withLock { $0 } - Self.uptime, at: 8)
    try write(.zero, at: 16)
  }

  private static var uptime: Duration {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
  }

  /// In place: the file is mapped.
  private func write(_ duration: Duration, at offset: UInt64) throws {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("clock")))
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    try file.write(contentsOf: withUnsafeBytes(of: milliseconds) { Data($0) })
  }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static const volatile int64_t *added;

    __attribute__((constructor)) static void start(void) {
      const char *path = getenv("CLOCK_FAULT");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (file < 0) return;
      void *memory = mmap(NULL, 24, PROT_READ, MAP_SHARED, file, 0);
      close(file);
      if (memory != MAP_FAILED) added = memory;
    }

    int clock_gettime(clockid_t clock, struct timespec *time) {
      int result = (int)syscall(SYS_clock_gettime, clock, time);
      if (result != 0 || !added) return result;
      int isTimeOfDay = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
      if (!isTimeOfDay && clock != CLOCK_BOOTTIME) return 0;
      if (!isTimeOfDay && added[2] != 0) {
        time->tv_sec = added[2] / 1000;
        time->tv_nsec = added[2] % 1000 * 1000000;
        return 0;
      }
      int64_t milliseconds = added[isTimeOfDay ? 0 : 1];
      int64_t nanoseconds = time->tv_nsec + milliseconds % 1000 * 1000000;
      time->tv_sec += milliseconds / 1000;
      if (nanoseconds < 0) { nanoseconds += 1000000000; time->tv_sec -= 1; }
      if (nanoseconds >= 1000000000) { nanoseconds -= 1000000000; time->tv_sec += 1; }
      time->tv_nsec = nanoseconds;
      return 0;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return 0;
    }

    time_t time(time_t *result) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (result) *result = now.tv_sec;
      return now.tv_sec;
    }

    FILE *fopen(const char *path, const char *mode) {
      static FILE *(*next)(const char *, const char *);
      if (!next) next = dlsym(RTLD_NEXT, "fopen");
      const char *boot = getenv("CLOCK_FAULT_BOOT");
      if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
      return next(path, mode);
    }
    """#
}

internal import Glibc
public import TidingsModel

/// What the system's clocks show at one moment.
public struct ClockReading: Hashable, Sendable {
  /// The time of day, which somebody may set.
  public var timeOfDay: Timestamp
  /// Milliseconds since the system was started, its sleep included; nobody can set it.
  public var uptime: Int64
  /// Which start of the system that was; 0: not known.
  public var boot: Int64

  /// A reading from its parts.
  public init(timeOfDay: Timestamp, uptime: Int64, boot: Int64) {
    self.timeOfDay = timeOfDay
    self.uptime = uptime
    self.boot = boot
  }

  /// A reading of clocks that nobody sets.
  public init(undisturbed time: Timestamp) {
    self.init(timeOfDay: time, uptime: time.millisecondsSince1970, boot: 1)
  }

  /// The clocks now.
  public static var now: Self {
    Self(timeOfDay: .now, uptime: systemUptime(), boot: systemBoot)
  }
}

/// Milliseconds since the system was started, its sleep included.
func systemUptime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_BOOTTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

private let systemBoot: Int64 = {
  guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return 0 }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 36)
  guard fread(&buffer, 1, buffer.count, file) == buffer.count else { return 0 }
  return bootNumber(String(decoding: buffer, as: UTF8.self))
}()

/// The first 15 digits of the random name that the kernel gives to each start; 0 where it has none.
///
/// Fewer than 62 bits, as all numbers that a store keeps: it takes larger ones for damage.
func bootNumber(_ name: String) -> Int64 {
  Int64(name.filter { $0 != "-" }.prefix(15), radix: 16) ?? 0
}

internal import Glibc

/// What the system knows of this process, under the names that all of Prometheus' clients use.
package enum ProcessMetrics {
  /// Reads it; what cannot be read is not there.
  ///
  /// - Parameter countsDescriptors: Open files are counted, one by one.
  /// - Returns: The metrics.
  package static func families(countsDescriptors: Bool = true) -> [MetricFamily] {
    var families: [MetricFamily] = []
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      let seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
      families.append(
        MetricFamily(
          "process_cpu_seconds_total",
          .counter,
          "Processor time that the process used, in user and system mode.",
          [Metric(.number(seconds))]
        )
      )
    }
    if let pages = file("/proc/self/statm").map({ $0.split(separator: " ") }), pages.count > 1 {
      let pageBytes = sysconf(Int32(_SC_PAGESIZE))
      for (name, help, text) in [
        ("process_virtual_memory_bytes", "Address space of the process.", pages[0]),
        ("process_resident_memory_bytes", "Memory of the process that is in RAM.", pages[1]),
      ] {
        families.append(.gauge(name, help, (Int(text) ?? 0) * pageBytes))
      }
    }
    if countsDescriptors, let count = descriptorCount() {
      families.append(.gauge("process_open_fds", "Open file descriptors.", count))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      families.append(
        .gauge("process_max_fds", "Limit of open file descriptors.", Double(limit.rlim_cur))
      )
    }
    families.append(
      .gauge("process_start_time_seconds", "When the process started, as Unix time.", started)
    )
    return families
  }

  /// When this was first asked for, which programs do as they start.
  package static let started: Double = {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + (Double(now.tv_nsec) / 1e9 * 1e3).rounded() / 1e3
  }()

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static func descriptorCount() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Without `.`, `..` and the folder's own.
    return count - 3
  }

  private static func file(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

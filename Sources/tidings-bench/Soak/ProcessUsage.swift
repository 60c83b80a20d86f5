import BenchCore
import Glibc

/// What a process occupies, as the kernel shows it.
struct ProcessUsage {
  private let folder: String

  init(of pid: pid_t) { folder = "/proc/\(pid)" }

  /// Memory, files and threads; 0 of a process that has ended.
  var usage: SoakUsage {
    let status = (try? SystemFile.read(folder + "/status")) ?? ""
    func number(_ name: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
        .flatMap { Double($0) } ?? 0
    }
    return SoakUsage(
      memoryBytes: number("VmRSS") * 1024,
      files: Double(Self.names(in: folder + "/fd").count),
      threads: number("Threads")
    )
  }

  /// Nanoseconds for which each thread was ready to run and had no processor.
  var processorWaits: [String: UInt64] {
    Self.names(in: folder + "/task").reduce(into: [:]) { waits, thread in
      let words = (try? SystemFile.read("\(folder)/task/\(thread)/schedstat"))?.split(
        separator: " "
      )
      waits[thread] = words.flatMap { $0.count > 1 ? UInt64($0[1]) : nil }
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

/// A file as its folder shows it.
struct FileFacts {
  var bytes = 0.0
  /// Nanoseconds since 1970 of the last write.
  var written: Int64 = 0

  /// Without a file: nothing.
  init(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return }
    bytes = Double(facts.st_size)
    written = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
  }
}

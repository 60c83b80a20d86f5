import BenchCore
import CSQLite
import CZeroMQ
import Glibc

extension Machine {
  /// This machine, now.
  static func current() -> Machine {
    #if DEBUG
    let build = "debug"
    #else
    let build = "release"
    #endif
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    zmq_version(&major, &minor, &patch)
    return Machine(
      processor: processor(),
      cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      kernel: kernel(),
      build: build,
      zeroMQ: "\(major).\(minor).\(patch)",
      sqlite: String(cString: sqlite3_libversion()),
      date: date()
    )
  }

  private static func processor() -> String {
    let lines = (try? SystemFile.read("/proc/cpuinfo"))?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("model name") }
    return line?.split(separator: ":", maxSplits: 1).last.map { String($0.dropFirst()) }
      ?? "unknown processor"
  }

  private static func kernel() -> String {
    let words = (try? SystemFile.read("/proc/version"))?.split(separator: " ") ?? []
    return words.count > 2 ? "\(words[0]) \(words[2])" : "unknown kernel"
  }

  private static func date() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Small text files.
enum SystemFile {
  static let bytesMax = 1 << 20

  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw BenchError(system: "reading '\(path)'") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: bytesMax)
    let count = fread(&bytes, 1, bytesMax, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Bytes of memory that this process occupies.
  static func residentBytes() throws -> Int {
    let words = try read("/proc/self/statm").split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else {
      throw BenchError("the process's memory cannot be read")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

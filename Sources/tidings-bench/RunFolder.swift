import FoundationEssentials
import Glibc

/// A temporary folder on the disk that is measured, removed at the end.
final class RunFolder {
  let path: String

  /// Makes a folder in an existing one.
  init(in parent: String) throws {
    var template = Array((parent + "/tidings-bench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw BenchError(system: "making a folder in '\(parent)'")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove() }

  /// Removes the folder with all that is in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Whether it lies in memory, where a commit costs nothing.
  var isInMemory: Bool {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return false }
    let number = facts.st_dev
    let (major, minor) = (number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xfff00)
    let device = "\(major):\(minor)"
    let mounts = (try? SystemFile.read("/proc/self/mountinfo"))?.split(separator: "\n") ?? []
    return mounts.contains { mount in
      mount.split(separator: " ").dropFirst(2).first == device[...] && mount.contains(" - tmpfs ")
    }
  }
}

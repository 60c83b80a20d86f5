internal import Foundation

/// A control group of Linux: the system ends a process of it that needs more memory than the group has.
///
/// Files on a disk of memory count too, so a server in it has its data on another disk (`makeFolder`).
public final class MemoryControlGroup: Sendable {
  private let path: String
  private let bound: String

  /// Whether tests may make one here: as root, where a group may have groups within.
  public static let isAvailable = make(bytesMax: 1 << 30) != nil

  /// A group whose processes may have so many bytes; `nil`: tests may not make one here.
  public static func make(bytesMax: Int) -> MemoryControlGroup? {
    for (parent, bound) in candidates() {
      if let group = MemoryControlGroup(parent, bound), group.limit(to: bytesMax) { return group }
    }
    return nil
  }

  /// A folder whose files are on a disk, and not in memory.
  public static func makeFolder() throws -> TemporaryFolder { try TemporaryFolder.besideTests() }

  private init?(_ parent: String, _ bound: String) {
    path = "\(parent)/tidings-tests-\(UUID().uuidString)"
    self.bound = "\(path)/\(bound)"
    // The first version shows the file in each group, the second only where there is the controller.
    guard mkdir(path, 0o755) == 0 else { return nil }
  }

  deinit { rmdir(path) }

  /// What a shell does so that it, and what it becomes, is in the group.
  var joining: String { "echo $$ > '\(path)/cgroup.procs'" }

  /// Lets its processes have no more memory than they have now, and so many bytes.
  ///
  /// - Throws: `WaitingFailure` when the system refuses that.
  public func limit(toMore bytes: Int) throws {
    // What is of files goes when there is no room.
    let statistics = try String(contentsOfFile: "\(path)/memory.stat", encoding: .utf8)
    let used = statistics.split(separator: "\n").compactMap { line -> Int? in
      let words = line.split(separator: " ")
      return words.first == "rss" || words.first == "anon" ? words.last.flatMap { Int($0) } : nil
    }.first
    guard let used, limit(to: used + bytes) else {
      throw WaitingFailure(description: "the bound of \(path) cannot be changed")
    }
  }

  private func limit(to bytes: Int) -> Bool {
    guard let file = FileHandle(forWritingAtPath: bound) else { return false }
    defer { try? file.close() }
    do {
      try file.write(contentsOf: Data("\(bytes)".utf8))
      return true
    } catch {
      return false
    }
  }

  /// Groups in which one may be made, and the name of the file with its bound: that of this process, or the root that it sees.
  private static func candidates() -> [(parent: String, bound: String)] {
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    return groups.split(separator: "\n").flatMap { line -> [(String, String)] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let version1 = parts[1].split(separator: ",").contains("memory")
      guard version1 || parts[1].isEmpty else { return [] }
      let root = version1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
      let file = version1 ? "memory.limit_in_bytes" : "memory.max"
      return [("\(root)\(parts[2])", file), (root, file)]
    }
  }
}

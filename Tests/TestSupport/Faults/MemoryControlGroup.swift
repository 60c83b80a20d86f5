internal import Foundation

/// A control group of Linux: the system ends a process of it that needs more memory than the group has.
///
/// Files on a disk of memory count too, so a server in it has its data on another disk (`makeFolder`).
public final class MemoryControlGroup: Sendable {
  private let path: String
  private let hierarchy: Hierarchy

  /// Whether tests may make one here: as root, where a group may have groups within.
  public static let isAvailable: Bool = {
    guard geteuid() == 0 else { return false }
    for (parent, _) in candidates() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
      for name in names where RunName.isOfEndedRun(name) { rmdir("\(parent)/\(name)") }
    }
    return make(bytesMax: 1 << 30)?.mayBeJoined ?? false
  }()

  /// A group whose processes may have so many bytes; `nil`: tests may not make one here.
  public static func make(bytesMax: Int) -> MemoryControlGroup? {
    for (parent, hierarchy) in candidates() {
      if let group = MemoryControlGroup(in: parent, hierarchy), group.limit(to: bytesMax) {
        return group
      }
    }
    return nil
  }

  /// A folder whose files are on a disk, and not in memory.
  public static func makeFolder() throws -> TemporaryFolder { try TemporaryFolder.besideTests() }

  private init?(in parent: String, _ hierarchy: Hierarchy) {
    path = "\(parent)/\(RunName.make())"
    self.hierarchy = hierarchy
    guard mkdir(path, 0o755) == 0 else { return nil }
    // Else what has no room is moved to the swap, and nothing is ended.
    _ = write(hierarchy.swap.value, to: hierarchy.swap.file)
  }

  deinit { rmdir(path) }

  /// What a shell does so that it, and what it becomes, is in the group.
  var joining: String { "echo $$ > '\(path)/cgroup.procs'" }

  private var mayBeJoined: Bool {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", joining]
    shell.standardError = FileHandle.nullDevice
    guard (try? shell.run()) != nil else { return false }
    shell.waitUntilExit()
    return shell.terminationStatus == 0
  }

  /// Lets its processes have no more memory than they have now, and so many bytes.
  ///
  /// What they have of files does not count: the system drops it.
  ///
  /// - Throws: `WaitingFailure` when the system refuses that.
  public func limit(toMore bytes: Int) throws {
    let statistics = try String(contentsOfFile: "\(path)/memory.stat", encoding: .utf8)
    let used = statistics.split(separator: "\n").compactMap { line -> Int? in
      let words = line.split(separator: " ")
      return words.first.map(String.init) == hierarchy.used ? words.last.flatMap { Int($0) } : nil
    }.first
    guard let used, limit(to: used + bytes) else {
      throw WaitingFailure(description: "the bound of \(path) cannot be changed")
    }
  }

  private func limit(to bytes: Int) -> Bool { write("\(bytes)", to: hierarchy.bound) }

  private func write(_ text: String, to name: String) -> Bool {
    guard let file = FileHandle(forWritingAtPath: "\(path)/\(name)") else { return false }
    defer { try? file.close() }
    return (try? file.write(contentsOf: Data(text.utf8))) != nil
  }

  /// Groups in which one may be made: that of this process, and the root that it sees.
  private static func candidates() -> [(parent: String, Hierarchy)] {
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    return groups.split(separator: "\n").flatMap { line -> [(String, Hierarchy)] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, let hierarchy = Hierarchy(controllers: parts[1]) else { return [] }
      return [(hierarchy.root + parts[2], hierarchy), (hierarchy.root, hierarchy)]
    }
  }
}

/// The files of one of the two versions of control groups.
private struct Hierarchy {
  let root: String
  /// The bound of a group.
  let bound: String
  /// What keeps a group from the swap.
  let swap: (file: String, value: String)
  /// The bytes of processes that are not of files.
  let used: String

  private static let first = Self(
    root: "/sys/fs/cgroup/memory",
    bound: "memory.limit_in_bytes",
    swap: ("memory.swappiness", "0"),
    used: "rss"
  )
  private static let second = Self(
    root: "/sys/fs/cgroup",
    bound: "memory.max",
    swap: ("memory.swap.max", "0"),
    used: "anon"
  )

  private init(root: String, bound: String, swap: (file: String, value: String), used: String) {
    (self.root, self.bound, self.swap, self.used) = (root, bound, swap, used)
  }

  /// That of a line of `/proc/self/cgroup`; `nil`: it is not about memory.
  init?(controllers: Substring) {
    if controllers.isEmpty {
      self = .second
    } else if controllers.split(separator: ",").contains("memory") {
      self = .first
    } else {
      return nil
    }
  }
}

internal import Foundation
internal import TidingsEngine
internal import TidingsLogging
internal import TidingsMemory

/// How much memory the system lets this process have.
enum GrantedMemory {
  /// The bound of an operator, or what is less: seven eighths of what the system lets the process have.
  ///
  /// The rest is for what the allocator loses, and for files that the system counts for the process.
  ///
  /// - Parameters:
  ///   - bytesMax: What the operator lets the process have.
  ///   - logger: Where it is logged if it is less.
  /// - Returns: How much it may use.
  static func bounded(_ bytesMax: Int, _ logger: Logger) -> Int {
    let granted = bytes(controlGroups: text("/proc/self/cgroup") ?? "", read: text)
    guard let granted, granted / 8 * 7 < bytesMax else { return bytesMax }
    let isEnough = granted / 8 * 7 >= MemoryShares.bytesMin
    logger.log(
      isEnough ? .info : .warning,
      isEnough
        ? "the machine or the control group gives less memory than memory-bytes-max: queues are shorter"
        : "the machine or the control group gives too little memory: the system may end this process",
      ["bytes": "\(granted)", "bytesMin": "\(MemoryShares.bytesMin / 7 * 8)"]
    )
    return granted / 8 * 7
  }

  /// The least of what the machine has and what the control groups of a process give.
  ///
  /// - Parameters:
  ///   - controlGroups: `/proc/PID/cgroup`.
  ///   - read: The text of a file; `nil`: there is none.
  /// - Returns: Bytes; `nil`: nothing is known.
  static func bytes(controlGroups: String, read: (String) -> String?) -> Int? {
    var granted = machineBytes(read("/proc/meminfo") ?? "").map { [$0] } ?? []
    for line in controlGroups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      // Version 2 has one tree without names of controllers.
      let files =
        parts[1].isEmpty
        ? ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map { ($0, "memory.max") }
        : parts[1].split(separator: ",").contains("memory")
          ? [("/sys/fs/cgroup/memory", "memory.limit_in_bytes")] : []
      for (root, file) in files {
        for group in withAncestors(parts[2]) {
          // Without a bound it is a word, or more than there is.
          let bound = read("\(root)\(group)/\(file)").flatMap { Int($0.filter { $0 != "\n" }) }
          if let bound, bound > 0 { granted.append(bound) }
        }
      }
    }
    return granted.min()
  }

  /// A path in a tree of control groups, and those above it; the last is that of the root, empty.
  ///
  /// In a container the path may be one that only the host knows, and its root is the group.
  private static func withAncestors(_ path: Substring) -> [String] {
    var names = path.split(separator: "/")
    var groups: [String] = []
    while !names.isEmpty {
      groups.append(names.map { "/\($0)" }.joined())
      names.removeLast()
    }
    return groups + [""]
  }

  private static func machineBytes(_ text: String) -> Int? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}

internal import Foundation

/// A disk that fails on request: calls on files that an `rpcd` started with `environment` makes.
///
/// A library in C (`disk-faults.c`), loaded before the system's, decides about each call. Rules may be
/// changed while the process runs; each process counts its calls from when a rule is set.
public final class DiskFaults: Sendable {
  /// Which calls a rule is about.
  public enum Call: String, Sendable {
    /// fsync, fdatasync; of files and of folders.
    case sync
    /// write, pwrite, writev.
    case write
    /// read, pread.
    case read
    /// ftruncate.
    case truncate
    /// rename; the path is the new one.
    case rename
  }

  /// What a call fails with.
  public enum Failure: Sendable {
    /// EIO: the device does not work.
    case inputOutput
    /// ENOSPC: the disk is full.
    case noSpace

    fileprivate var code: Int32 { self == .noSpace ? ENOSPC : EIO }
  }

  /// Calls that fail.
  public struct Rule: Sendable {
    fileprivate let call: Call
    fileprivate let text: String
    fileprivate let after: Int
    fileprivate let count: Int
    fileprivate let code: Int32

    /// Calls on paths that contain a text, or that end in it when its last character is `$`.
    ///
    /// - Parameters:
    ///   - call: Which calls.
    ///   - text: What their paths contain.
    ///   - after: How many calls succeed first, counted from when the rule is set.
    ///   - count: How many fail then; `nil`: all.
    ///   - failure: What they fail with.
    /// - Returns: The rule.
    public static func fail(
      _ call: Call,
      of text: String,
      after: Int = 0,
      count: Int? = 1,
      with failure: Failure = .inputOutput
    ) -> Rule {
      Rule(call: call, text: text, after: after, count: count ?? 0, code: failure.code)
    }

    /// Calls that are made, and counted by `hits`.
    public static func observe(_ call: Call, of text: String) -> Rule {
      Rule(call: call, text: text, after: 0, count: 0, code: 0)
    }
  }

  /// A call that a rule applied to.
  public struct Hit: Hashable, Sendable {
    public let call: String
    /// What it failed with; 0: it was only observed.
    public let code: Int32
    public let path: String
  }

  private let folder: TemporaryFolder
  private static let control = "faults"
  private static let library = Result { try compiled() }

  /// A disk without faults so far.
  public init() throws {
    folder = try TemporaryFolder()
    _ = try Self.library.get()
    try set([])
  }

  /// What the process is started with.
  public var environment: [String: String] {
    get throws {
      ["LD_PRELOAD": try Self.library.get(), "TIDINGS_DISK_FAULTS": folder.file(Self.control)]
    }
  }

  /// Replaces all rules: their counters begin at 0.
  public func set(_ rules: [Rule]) throws {
    let first = UInt32.random(in: 1...1 << 30)
    let lines = rules.enumerated().map { index, rule in
      "\(Int(first) + index) \(rule.call.rawValue) \(rule.after) \(rule.count) \(rule.code) "
        + "\(rule.text)\n"
    }
    // By rename: the library sees the old rules or the new ones.
    try Data(lines.joined().utf8).write(
      to: URL(fileURLWithPath: folder.file(Self.control)),
      options: .atomic
    )
  }

  /// Replaces all rules with one.
  public func set(_ rule: Rule) throws { try set([rule]) }

  /// Lets the disk work again.
  public func clear() throws { try set([]) }

  /// The calls that rules applied to so far, oldest first.
  public var hits: [Hit] {
    let log = (try? folder.read(Self.control + ".log")) ?? []
    return String(decoding: log, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let code = Int32(words[1]) else { return nil }
      return Hit(call: String(words[0]), code: code, path: String(words[2]))
    }
  }

  /// The calls that failed so far, oldest first.
  public var failures: [Hit] { hits.filter { $0.code != 0 } }

  /// Builds the library once for all tests of this process.
  private static func compiled() throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("disk-faults.c")
    return try PreloadLibrary.make(
      "disk-faults",
      source: String(contentsOf: source, encoding: .utf8),
      in: TemporaryFolder()
    )
  }
}

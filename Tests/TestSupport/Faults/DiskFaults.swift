internal import Foundation

/// A disk that fails on request: calls on files that an `rpcd` started with `environment` makes.
///
/// A library in C (`fault_disk.c`), loaded before the system's, decides about each call. Rules may be
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
    /// open.
    case open
    /// link; the path is the new one.
    case link
    /// unlink.
    case unlink
    /// mkdir.
    case mkdir
  }

  /// What a call fails with.
  public enum Failure: Sendable {
    /// EIO: the device does not work.
    case inputOutput
    /// ENOSPC: the disk is full.
    case noSpace
    /// EDQUOT: what the user may take of the disk is full.
    case quota
    /// EROFS: the file system was made read-only.
    case readOnly
    /// EMFILE: the process has as many files open as it may.
    case filesOfProcess
    /// ENFILE: the system has.
    case filesOfSystem

    fileprivate var code: Int32 {
      switch self {
      case .inputOutput: EIO
      case .noSpace: ENOSPC
      case .quota: EDQUOT
      case .readOnly: EROFS
      case .filesOfProcess: EMFILE
      case .filesOfSystem: ENFILE
      }
    }
  }

  /// Calls that fail.
  public struct Rule: Sendable {
    fileprivate let call: String
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
      Rule(call: call.rawValue, text: text, after: after, count: count ?? 0, code: failure.code)
    }

    /// Syncs that take longer.
    public static func slow(_ text: String, by duration: Duration) -> Rule {
      let microseconds = Int32(duration / .microseconds(1))
      return Rule(call: "delay", text: text, after: 0, count: 0, code: microseconds)
    }

    /// Syncs or writes that wait until the rule is replaced; they are in `hits` while they do.
    ///
    /// - Parameters:
    ///   - text: What the paths contain, as in `fail`.
    ///   - call: `sync` or `write`.
    ///   - after: How many of them do not wait, counted from when the rule is set.
    /// - Returns: The rule.
    public static func hold(_ text: String, at call: Call = .sync, after: Int = 0) -> Rule {
      Rule(call: held + call.rawValue, text: text, after: after, count: 0, code: 1)
    }

    fileprivate static let held = "hold"

    /// Reads that return one wrong bit.
    ///
    /// - Parameters:
    ///   - text: What the paths contain, as in `fail`.
    ///   - after: How many reads are right first, counted from when the rule is set.
    ///   - count: How many are wrong then; `nil`: all.
    /// - Returns: The rule.
    public static func flip(_ text: String, after: Int = 0, count: Int? = 1) -> Rule {
      Rule(call: "flip", text: text, after: after, count: count ?? 0, code: 1)
    }

    /// Calls that are made, and counted by `hits`.
    public static func observe(_ call: Call, of text: String) -> Rule {
      Rule(call: call.rawValue, text: text, after: 0, count: 0, code: 0)
    }
  }

  /// A call that a rule applied to.
  public struct Hit: Hashable, Sendable {
    public let call: String
    /// What it failed with; 0: it was only observed.
    public let code: Int32
    public let path: String

    fileprivate var isHeld: Bool { call.hasPrefix(Rule.held) }
  }

  private let folder: TemporaryFolder
  private let journalRoot: String?
  private static let control = "faults"
  private static let library = Result { try compiled() }

  /// A disk without faults so far.
  ///
  /// - Parameter root: The folder whose changes are recorded in `journal`; `nil`: none is.
  /// - Throws: `WaitingFailure` when there is no C compiler.
  public init(recording root: String? = nil) throws {
    folder = try TemporaryFolder()
    journalRoot = root
    _ = try Self.library.get()
    try set([])
  }

  /// What the process is started with.
  public var environment: [String: String] {
    get throws {
      var variables = [
        "LD_PRELOAD": try Self.library.get(), "TIDINGS_DISK_FAULTS": folder.file(Self.control),
      ]
      if let journalRoot {
        variables["TIDINGS_DISK_JOURNAL"] = folder.file(Self.journalName)
        variables["TIDINGS_DISK_ROOT"] = journalRoot
      }
      return variables
    }
  }

  private static let journalName = "journal"

  /// What was recorded so far; `DiskJournal` reads it.
  public var journal: [UInt8] { (try? folder.read(Self.journalName)) ?? [] }

  /// How long it is, in bytes.
  public var journalBytes: Int {
    let status = try? FileManager.default.attributesOfItem(atPath: folder.file(Self.journalName))
    return (status?[.size] as? Int) ?? 0
  }

  /// Replaces all rules: their counters begin at 0.
  public func set(_ rules: [Rule]) throws {
    let first = UInt32.random(in: 1...1 << 30)
    let lines = rules.enumerated().map { index, rule in
      "\(Int(first) + index) \(rule.call) \(rule.after) \(rule.count) \(rule.code) "
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

  /// The calls that failed so far, oldest first; those that only took longer did not.
  public var failures: [Hit] {
    hits.filter { $0.code != 0 && $0.call != "delay" && !$0.isHeld }
  }

  /// How many calls were held up.
  public var heldCount: Int { hits.count { $0.isHeld } }

  /// Builds the library once for all tests of this process.
  private static func compiled() throws -> String {
    let tests = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try PreloadLibrary.make(
      "fault-disk",
      file: tests.path + "/CFaultDisk/fault_disk.c",
      in: TemporaryFolder()
    )
  }
}

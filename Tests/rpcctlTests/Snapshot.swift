import Foundation
import Testing

/// A file with the expected output of the program.
///
/// `TIDINGS_UPDATE_SNAPSHOTS=1` rewrites the files; then `git diff` shows what changed.
enum Snapshot {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Snapshots")

  private static let updates =
    ProcessInfo.processInfo.environment["TIDINGS_UPDATE_SNAPSHOTS"] == "1"

  /// Compares a text with its file, after masking variable parts.
  static func expect(
    _ text: String,
    is name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = folder.appendingPathComponent(name)
    let text = normalized(text)
    if updates {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      return try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let stored = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    guard text != stored else { return }
    Issue.record(
      """
      \(name) is not what was printed (- stored, + printed); TIDINGS_UPDATE_SNAPSHOTS=1 stores it:
      \(difference(stored, text))
      """,
      sourceLocation: sourceLocation
    )
  }

  /// The names of all files in a folder.
  static func names(in subfolder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + subfolder))
  }

  /// Masks versions and durations.
  private static func normalized(_ text: String) -> String {
    text.replacing(/rpcctl [0-9]+\.[0-9]+\.[0-9]+[^\s"]*/, with: "rpcctl VERSION")
      .replacing(/[0-9]+(\.[0-9]+)? (ms|s)\b/, with: "TIME")
  }

  /// The lines that differ.
  private static func difference(_ old: String, _ new: String) -> String {
    let (old, new) = (old.components(separatedBy: "\n"), new.components(separatedBy: "\n"))
    var lines: [(Int, String)] = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, let line, _): lines.append((offset * 2, "- \(line)"))
      case .insert(let offset, let line, _): lines.append((offset * 2 + 1, "+ \(line)"))
      }
    }
    return lines.sorted { $0.0 < $1.0 }.prefix(40).map(\.1).joined(separator: "\n")
  }
}

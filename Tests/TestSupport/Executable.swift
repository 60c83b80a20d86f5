internal import Foundation

/// Programs of the system that tests run.
public enum Executable {
  /// The folders of `PATH`.
  public static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? ""

  /// Where a program is; `nil`: it is not installed.
  public static func path(_ name: String) -> String? {
    searchPath.split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile)
  }
}

internal import Foundation
internal import TestSupport

/// A program of the system that a test runs.
enum SystemProgram {
  /// Runs a program, and waits for its end.
  ///
  /// - Parameters:
  ///   - name: What is looked up in `PATH`.
  ///   - arguments: Without the program's own name.
  /// - Returns: What it has written to standard output.
  /// - Throws: `WaitingFailure` when it is not installed, or has failed.
  @discardableResult
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    guard let path = Executable.path(name) else {
      throw WaitingFailure(description: "\(name) is not installed")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WaitingFailure(description: "\(name) has failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

import Foundation
import Synchronization
import TestSupport
import TidingsJSON

/// A run of `tidings-conformance` to its end.
struct RunnerProcess {
  let output: String
  let exitCode: Int32

  /// The folder of the programs that were built with these tests.
  static let programs: String = {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let built = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        ".build/release"
      )
    let found = [beside, built].first { folder in
      FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("rpcd").path)
    }
    return (found ?? built).path
  }()

  static let client = programs + "/tidings-conformance-client"

  init(_ arguments: [String], fault: String? = nil) async throws {
    let process = try Self.process(arguments, fault: fault)
    let pipe = Pipe()
    process.standardOutput = pipe
    let ended = Observed(false)
    process.terminationHandler = { _ in ended.update { $0 = true } }
    try process.run()
    let read = Observed<Data?>(nil)
    // A task would take its thread from the servers that the runner waits for.
    Thread.detachNewThread {
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      read.update { $0 = data }
    }
    output = String(
      decoding: try await read.wait("its output") { $0 != nil } ?? Data(),
      as: UTF8.self
    )
    try await ended.wait("the end of the runner") { $0 }
    exitCode = process.terminationStatus
  }

  static func process(_ arguments: [String], fault: String? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: programs + "/tidings-conformance")
    let server = try ServerDatabase.started(byPath: programs + "/rpcd")
    process.arguments = arguments + ["--rpcd", server.path]
    var environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
    environment["TIDINGS_CONFORMANCE_FAULT"] = fault
    process.environment = environment
    return process
  }

  /// The result of a case in the output of `-o json`.
  func result(of name: String) throws -> (outcome: String, message: String) {
    let report = try JSONValue(parsing: output)
    let cases = report.object?["cases"]?.array ?? []
    let found = cases.compactMap(\.object).first { $0["name"]?.string == name }
    return (found?["outcome"]?.string ?? "missing", found?["message"]?.string ?? "")
  }
}

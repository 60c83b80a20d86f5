import Foundation
import TestSupport

/// A run of `tidings-check` to its end.
struct CheckProcess {
  let output: String
  let errors: String
  let exit: ServerProcess.Exit

  init(_ arguments: [String]) async throws {
    let process = try ServerProcess("tidings-check", arguments: arguments)
    exit = try await process.waitForExit()
    output = process.seen.value.output
    errors = process.seen.value.errors
  }
}

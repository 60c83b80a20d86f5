/// The environment of a run, besides its input and output.
struct ProgramEnvironment: Sendable {
  /// The environment variables.
  var environment: [String: String] = [:]
  /// Reads a line from the terminal; `nil`: not interactive.
  var readLine: (@Sendable () -> String?)?
  /// Runs another command line of rpcctl, with an output of its own.
  var run: @Sendable (_ arguments: [String], Output) async -> ExitCode = { _, _ in .usage }
}

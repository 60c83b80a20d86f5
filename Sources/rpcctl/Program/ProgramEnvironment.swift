/// What a run has around it besides its input and output.
struct ProgramEnvironment: Sendable {
  /// The environment's variables.
  var environment: [String: String] = [:]
  /// Reads a line that somebody types; `nil`: nobody is there.
  var readLine: (@Sendable () -> String?)?
  /// Runs another command line of rpcctl, with an output of its own.
  var run: @Sendable (_ arguments: [String], Output) async -> ExitCode = { _, _ in .usage }
}

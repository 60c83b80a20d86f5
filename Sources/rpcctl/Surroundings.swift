/// What a run has around it besides its input and output.
struct Surroundings: Sendable {
  /// The environment's variables.
  var environment: [String: String] = [:]
  /// Reads a line that somebody types; `nil`: nobody is there.
  var readLine: (@Sendable () -> String?)?
}

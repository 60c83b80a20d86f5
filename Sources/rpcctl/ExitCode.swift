internal import TidingsRPC

/// What was waited for did not come.
struct ConditionNotMet: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What rpcctl's end tells the shell.
struct ExitCode: Hashable, Sendable {
  let rawValue: Int32

  /// All is done.
  static let success = Self(rawValue: 0)
  /// Something failed here: a file, a server that is not serving.
  static let localFailure = Self(rawValue: 1)
  /// The command line, or JSON in it, is wrong.
  static let usage = Self(rawValue: 2)
  /// The answer is no: what was compared differs, what was waited for did not come, there are problems.
  static let notSo = Self(rawValue: 3)
  /// The call was answered, and some of its items failed.
  static let itemsFailed = Self(rawValue: 4)
  /// The command of `--exec` failed.
  static let commandFailed = Self(rawValue: 5)
  /// SIGINT.
  static let interrupted = Self(rawValue: 130)
  /// Nobody reads the output any more; as if SIGPIPE had ended the program.
  static let brokenPipe = Self(rawValue: 141)

  /// A call failed: 64 + its status code.
  static func failedCall(_ code: StatusCode) -> Self {
    Self(rawValue: 64 + Int32(truncatingIfNeeded: min(code.rawValue, 63)))
  }
}

internal import TidingsRPC

/// What was waited for did not come.
struct ConditionNotMet: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What the command names does not exist.
struct NotFound: Error, Hashable, Sendable, CustomStringConvertible {
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
  static let conditionNotMet = Self(rawValue: 3)
  /// The call was answered, and some of its items failed.
  static let itemsFailed = Self(rawValue: 4)
  /// What the command names does not exist: as an item that is not there, so the rest.
  static let notFound = itemsFailed
  /// The command of `--exec` failed.
  static let commandFailed = Self(rawValue: 5)
  /// SIGINT.
  static let interrupted = Self(rawValue: 130)
  /// Nobody reads the output any more; as if SIGPIPE had ended the program.
  static let brokenPipe = Self(rawValue: 141)

  /// A call failed: 64 + its status code, unless what it names does not exist.
  static func failedCall(_ code: StatusCode) -> Self {
    code == .notFound
      ? .notFound : Self(rawValue: 64 + Int32(truncatingIfNeeded: min(code.rawValue, 63)))
  }
}

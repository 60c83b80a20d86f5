internal import TidingsRPC

/// A condition was not met in time.
struct ConditionNotMet: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// An object that the command names does not exist.
struct NotFound: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// An exit code of rpcctl.
struct ExitCode: Hashable, Sendable {
  let rawValue: Int32

  /// The command succeeded.
  static let success = Self(rawValue: 0)
  /// A local failure: of a file, or of a server that is not serving.
  static let localFailure = Self(rawValue: 1)
  /// The command line, or JSON in it, is invalid.
  static let usage = Self(rawValue: 2)
  /// A condition is not met: differences or problems were found, or a wait timed out.
  static let conditionNotMet = Self(rawValue: 3)
  /// The call succeeded, and some of its items failed.
  static let itemsFailed = Self(rawValue: 4)
  /// An object that the command names does not exist; the same as for an item of a call.
  static let notFound = itemsFailed
  /// A command of `--exec` failed.
  static let commandFailed = Self(rawValue: 5)
  /// Interrupted by SIGINT.
  static let interrupted = Self(rawValue: 130)
  /// The reader of the output closed the pipe; as if by SIGPIPE.
  static let brokenPipe = Self(rawValue: 141)

  /// Returns the code of a failed call: 64 + its status code, except for `NOT_FOUND`.
  static func failedCall(_ code: StatusCode) -> Self {
    code == .notFound
      ? .notFound : Self(rawValue: 64 + Int32(truncatingIfNeeded: min(code.rawValue, 63)))
  }
}

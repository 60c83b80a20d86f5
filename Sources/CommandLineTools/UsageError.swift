/// An error in a command line, an environment variable or a configuration file.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, where, and what to do.
  public let description: String

  /// An error with its message.
  public init(_ description: String) { self.description = description }
}

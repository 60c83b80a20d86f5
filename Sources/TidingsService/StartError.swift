/// Why a server cannot start, and what to do.
public struct StartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }
}

/// Why a key ring cannot be used, and what to do.
public struct KeyRingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Shows no key.
  public let description: String

  init(_ description: String) { self.description = description }
}

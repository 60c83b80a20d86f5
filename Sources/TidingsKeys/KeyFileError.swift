/// Why a key file cannot be used, and what to do.
public struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Names the file; shows no key.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Why the runner itself cannot go on.
public struct ConformanceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Why a case failed: what was expected, and what came.
struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The client under test cannot do what a case needs.
struct CaseSkipped: Error, Hashable, Sendable {
  let reason: String
}

internal import TidingsMemory

extension Engine {
  /// Something that is stored, and all of it in memory as long as the server runs.
  package struct StoredMemory {
    /// What it is.
    package let what: String
    /// What it takes, about.
    package let bytes: Int
    /// What it may take: a start with more has all of it, and adds nothing.
    package let bytesMax: Int
  }

  /// What takes more memory because it is stored.
  ///
  /// - Throws: `SQLError`.
  package func storedMemory() throws -> [StoredMemory] {
    [
      stored("subscriptions", channels.registry.watched.memoryBytes, .subscriptions),
      stored("credentials of callers on the web", try access.webTokens.memoryBytes, .webTokens),
    ]
  }

  private func stored(_ what: String, _ bytes: Int, _ share: MemoryShare) -> StoredMemory {
    StoredMemory(what: what, bytes: bytes, bytesMax: limits.memory[share])
  }
}

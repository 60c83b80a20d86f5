internal import TidingsMemory

extension Engine {
  /// Something that is stored, and all of it in memory as long as the server runs.
  package struct StoredMemory {
    /// A plural noun that names it in messages.
    package let what: String
    /// The memory that it takes, about.
    package let bytes: Int
    /// The memory that it may take: a server that starts with more has all of it, and adds nothing.
    package let bytesMax: Int
  }

  /// The kinds of rows that are in memory for as long as they are stored.
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

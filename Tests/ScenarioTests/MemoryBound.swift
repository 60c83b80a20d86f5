import TestSupport
import Testing

/// The memory that a server may have.
enum MemoryBound {
  static let arguments = ["--limit", "memory-bytes-max=\(bytes)"]

  private static let bytes = 256 << 20

  /// Expects that a server has never had more.
  static func expectKept(
    by server: TestServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let peak = try server.process.memoryPeakBytes()
    #expect(peak < bytes, "a peak of \(peak >> 20) MiB", sourceLocation: sourceLocation)
  }
}

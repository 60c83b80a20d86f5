import TestSupport
import Testing

/// What lets a server have little memory.
enum MemoryBound: CaseIterable {
  /// An option.
  case option
  /// A control group, of which the server may use seven eighths; the system ends it if it takes more than the whole.
  case controlGroup

  static let arguments = ["--limit", "memory-bytes-max=\(bytes)"]

  /// Those that tests may use on this machine.
  static let available: [Self] = MemoryControlGroup.isAvailable ? allCases : [.option]

  private static let bytes = 256 << 20

  /// A server with little memory.
  func startServer() async throws -> TestServer {
    switch self {
    case .option: return try await TestServer.start(arguments: Self.arguments)
    case .controlGroup:
      let group = try #require(MemoryControlGroup.make(bytesMax: Self.bytes / 7 * 8))
      return try await TestServer.start(in: MemoryControlGroup.makeFolder(), controlGroup: group)
    }
  }

  /// Expects that a server has never had more.
  static func expectKept(
    by server: TestServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let peak = try server.process.memoryPeakBytes()
    #expect(peak < bytes, "a peak of \(peak >> 20) MiB", sourceLocation: sourceLocation)
  }
}

/// Microseconds of processor time that a call took, all threads of a process together.
public struct ProcessorTime: Codable, Hashable, Sendable {
  /// In the process that serves the call; `nil` without one.
  public var server: Double?
  /// In the process that makes the call.
  public var client: Double

  /// The time of one call.
  public init(server: Double? = nil, client: Double) {
    self.server = server
    self.client = client
  }

  /// The medians of several rounds; `nil` when there are none.
  init?(medianOf rounds: [Self]) {
    guard !rounds.isEmpty else { return nil }
    let served = rounds.compactMap(\.server)
    server = served.isEmpty ? nil : served.median
    client = rounds.map(\.client).median
  }
}

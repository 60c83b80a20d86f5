/// A message to the subscribers of a topic.
struct Push: Sendable {
  let topic: [UInt8]
  let body: [UInt8]

  /// What it takes while it waits.
  var byteCount: Int { topic.count + body.count + Self.overheadBytes }

  /// Two arrays with their headers, and the entry of a list.
  private static let overheadBytes = 96
}

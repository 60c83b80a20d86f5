/// An answer.
package struct HTTPResponse: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// What a stream gives, until it ends.
    case stream(HTTPStream)
    /// What a source gives, chunk by chunk, of so many bytes in all.
    case chunks(HTTPChunks, count: UInt64)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body
  /// Called when the answer was handed to the network as a whole (`true`), or the connection broke before.
  package var onEnd: (@Sendable (_ isSent: Bool) -> Void)?

  package init(
    _ status: Int,
    headers: [(name: String, value: String)] = [],
    _ body: Body = .bytes([])
  ) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// Nobody sends it: what it holds is let go.
  func discard() {
    if case .stream(let stream) = body { stream.close() }
    onEnd?(false)
  }

  /// Plain text.
  package static func text(_ status: Int, _ text: String) -> Self {
    Self(
      status,
      headers: [("Content-Type", "text/plain; charset=utf-8")],
      .bytes(Array((text + "\n").utf8))
    )
  }
}

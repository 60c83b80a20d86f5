/// A POST.
package struct TransferRequest: Sendable {
  package var url: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// Wait for a connection that can be shared, rather than open another.
  package var sharesConnection = false

  package init(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) {
    (self.url, self.headers, self.body) = (url, headers, body)
  }

  /// The value of a header by the name that it was given.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// What came back.
package struct TransferAnswer: Sendable {
  package var status: Int
  /// Names in lower case.
  package var headers: [String: String] = [:]
  /// The beginning of the body.
  package var body: [UInt8] = []

  package init(status: Int) { self.status = status }

  /// The pause that the server asks for, in seconds or as a date.
  package func retryAfter(now: Int) -> Duration? {
    guard let text = headers["retry-after"] else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(seconds, 1 << 30)) : nil }
    return HTTPDate.seconds(text).map { .seconds(max(0, $0 - now)) }
  }
}

/// Why nothing came back.
package struct TransferFailure: Error, CustomStringConvertible {
  package let description: String
  /// The address of the host is not allowed.
  package var isRefused = false

  init(_ description: String) { self.description = description }
}

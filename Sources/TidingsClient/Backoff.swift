internal import TidingsRPC

/// How long to wait before the next try: longer each time, and never the same for all clients.
struct Backoff {
  /// The longest wait.
  static let longest = Duration.seconds(10)
  private static let shortest = Duration.milliseconds(100)

  private var bound = Backoff.shortest

  /// The next wait: anything up to a bound that doubles.
  mutating func next() -> Duration {
    defer { bound = min(bound * 2, Self.longest) }
    return bound * Double.random(in: 0.1...1)
  }

  /// A try succeeded.
  mutating func reset() { bound = Self.shortest }
}

extension RPCError {
  /// The server may answer later.
  var isWorthRepeating: Bool {
    [.unavailable, .deadlineExceeded, .resourceExhausted, .aborted].contains(code)
  }
}

/// The time since a connection was made.
///
/// A duration, unlike an instant, is a plain number to code outside the standard library.
struct ConnectionClock: Sendable {
  let start = ContinuousClock.now

  var now: Duration { start.duration(to: .now) }
}

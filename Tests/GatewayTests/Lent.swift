/// A connection for another thread.
///
/// Unchecked: handed to one thread, which alone uses it.
struct Lent: @unchecked Sendable {
  let value: HTTPConnection
  init(_ value: HTTPConnection) { self.value = value }
}

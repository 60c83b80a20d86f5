internal import TidingsThreads

/// Runs a loop on a thread of its own, which ends when the loop does.
///
/// - Parameters:
///   - name: At most 15 bytes; shown by `ps -L` and debuggers.
///   - body: The loop.
/// - Throws: When the system has no thread for it.
func startLoopThread(
  _ name: String,
  _ body: @escaping @Sendable () -> Void
) throws(TransportError) {
  do {
    try startThread(name, body)
  } catch {
    throw TransportError(code: error.code, error.description)
  }
}

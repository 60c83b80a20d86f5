internal import CZeroMQ
internal import Glibc

/// Starts threads of our own.
enum LoopThread {
  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs a loop on a thread of its own, which ends when the loop does.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes; shown by `ps -L` and debuggers.
  ///   - body: The loop.
  /// - Throws: When the system has no thread for it.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name, body))
    let code = pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        tidings_thread_name(start.name)
        start.body()
        return nil
      },
      start.toOpaque()
    )
    guard code == 0 else {
      start.release()
      throw TransportError(code: code, "starting the thread \(name): error \(code)")
    }
    pthread_detach(thread)
  }
}

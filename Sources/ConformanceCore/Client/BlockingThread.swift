internal import Glibc

/// Runs what waits on a thread of its own, so that it takes none from tasks.
enum BlockingThread {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Waits for the result of a closure that blocks.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  /// Runs a closure; here, if the system has no thread left.
  static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      },
      start.toOpaque()
    )
    guard code == 0 else { return start.takeRetainedValue().body() }
    pthread_detach(thread)
  }
}

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A counting semaphore for threads.
package final class Semaphore: @unchecked Sendable {
  // sem_t may be used from any thread (POSIX), and lives at one address until the last use.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  package init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  package func signal() { sem_post(semaphore) }
  package func wait() { while sem_wait(semaphore) != 0 {} }

  /// Waits for a signal, or for a time that the system's clock measures.
  ///
  /// - Returns: Whether there was a signal.
  package func wait(for duration: Duration) -> Bool {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (seconds, attoseconds) = duration.components
    time.tv_sec += Int(clamping: seconds)
    time.tv_nsec += Int(clamping: attoseconds / 1_000_000_000)
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_nsec -= 1_000_000_000
      time.tv_sec += 1
    }
    while sem_timedwait(semaphore, &time) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}

/// Runs a closure on a new thread.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  let code = pthread_create(
    &thread,
    nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    },
    box.toOpaque()
  )
  precondition(code == 0, "the system has no thread left")
  pthread_detach(thread)
}

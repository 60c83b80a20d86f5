internal import TidingsThreads

/// Waits for the result of a closure that blocks, on a thread of its own: it takes none from tasks.
func onBlockingThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    startThread { continuation.resume(returning: body()) }
  }
}

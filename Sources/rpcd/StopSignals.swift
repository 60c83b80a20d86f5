import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Waits for SIGINT or SIGTERM; a second one ends the process at once.
final class StopSignals {
  private let signals: AsyncStream<String>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    signals = stream
    sources = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")].map { number, name in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        continuation.yield(name)
      }
      source.resume()
      return source
    }
  }

  /// The name of the signal that came.
  func next() async -> String {
    for await name in signals { return name }
    return "none"
  }
}

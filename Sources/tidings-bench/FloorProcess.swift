import BenchCore

/// A running floor service with a table of its own.
final class FloorProcess {
  let address: ServerAddress
  private let process: ChildProcess
  private let folder: RunFolder

  init(_ bench: Bench) throws {
    folder = try bench.makeFolder()
    process = try bench.startBare("floor-service", folder.path)
    address = try process.address()
  }

  /// Saves the messages with the numbers from 0.
  func fill(_ context: RawContext, count: Int) throws {
    let calls = FloorMessage.calls(.save, .existing(count))
    _ = try LoadGenerator(context, address, calls).run(calls: count, inFlight: 256)
  }

  /// Stops it and removes its data.
  func stop() {
    process.stop()
    folder.remove()
  }
}

import BenchCore
import TidingsSeal

/// Sealing a push, in process: as the publisher does, the key of a topic included.
enum SealCase {
  private static let pushesPerRound = 20_000
  /// Topics whose pushes take turns.
  private static let topicCount = 1_000
  /// A push of usual size, and the largest that is not pruned.
  private static let sizes = [(bytes: 512, target: 2.0 as Double?), (bytes: 4_096, target: nil)]

  static func run(_ bench: Bench) -> [Figure] {
    bench.say("seal")
    return sizes.map { size in
      let rounds = (0...bench.settings.rounds).map { _ in round(bytes: size.bytes) }.dropFirst()
      return Figure(
        name: "seal.b\(size.bytes)",
        measured: Measurement(medianOf: Array(rounds)),
        score: Score(rounds: rounds.map(\.p50), unit: "µs a push", .atMost, target: size.target)
      )
    }
  }

  private static func round(bytes: Int) -> Measurement {
    let secret = [UInt8](repeating: 7, count: 32)
    var keys = SealingKeyCache { SealingKey(secret: secret, name: $0) }
    let topics = (0..<topicCount).map { topic in
      (0..<16).map { UInt8(truncatingIfNeeded: topic &* 31 &+ $0) } + [UInt8(topic >> 8)]
    }
    for topic in topics { _ = keys.key(of: topic) }
    var nonces = NonceSequence()
    var memory = [UInt8](repeating: 1, count: bytes + SealingKey.overheadBytes)
    var latencies: [UInt64] = []
    latencies.reserveCapacity(pushesPerRound)
    let watch = Stopwatch()
    for push in 0..<pushesPerRound {
      let started = Clock.now()
      let key = keys.key(of: topics[push % topicCount])
      let nonce = nonces.next()
      memory.withUnsafeMutableBytes { key.seal($0, nonce) }
      latencies.append(Clock.now() - started)
    }
    return watch.measurement(latencies)
  }
}

import RandomSupport
import TestSupport
import Testing

@testable import TidingsHTTP

/// Which connection is closed for a new one.
@Suite struct WaitingConnectionsTests {
  /// A connection, as a look at all of them finds it.
  private struct Known {
    let network: Int
    var since: Int?
  }

  @Test("of a network with the most that wait, the one that has waited longest is closed")
  func displacement() throws {
    let seed = Seed.make("WaitingConnectionsTests")
    var random = SplitMix64(seed: seed)
    var table = ConnectionTable(connectionsMax: 32)
    var known: [UInt64: Known] = [:]
    var numbers: [CInt: UInt64] = [:]
    for step in 0..<50_000 {
      let some = known.keys.randomElement(using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        guard let some else { continue }
        table.close(some)
        known[some] = nil
      case 1:
        guard let some else { continue }
        table.begin(some)
        known[some]?.since = nil
      case 2:
        guard let some else { continue }
        table.wait(some)
        known[some]?.since = step
      default:
        let network = Int.random(in: 0..<5, using: &random)
        // Its descriptor says which one is closed.
        let (number, displaced) = table.open(
          from: PeerNetwork([10, 0, 0, UInt8(network)]),
          CInt(step)
        )
        let waiting = known.filter { $0.value.since != nil }
        let counts = Dictionary(grouping: waiting) { $0.value.network }.mapValues(\.count)
        if known.count >= 30, !waiting.isEmpty {
          let closed = try #require(displaced, "seed \(seed), step \(step)")
          let (victim, entry) = try #require(numbers[closed].map { ($0, known[$0]) })
          let found = try #require(entry)
          #expect(counts[found.network] == counts.values.max(), "seed \(seed), step \(step)")
          let longest = waiting.values.filter { $0.network == found.network }.compactMap(\.since)
          #expect(found.since == longest.min(), "seed \(seed), step \(step)")
          known[victim] = nil
        } else {
          #expect(displaced == nil, "seed \(seed), step \(step)")
        }
        known[number] = Known(network: network, since: step)
        numbers[CInt(step)] = number
      }
    }
  }
}

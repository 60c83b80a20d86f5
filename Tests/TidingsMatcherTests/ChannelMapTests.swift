import RandomSupport
import Testing
import TidingsMatcher

@Suite("From the numbers of channels to values")
struct ChannelMapTests {
  @Test("holds what a dictionary holds", arguments: [1, 2, 3] as [UInt64])
  func agreesWithDictionary(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var map = ChannelMap<Int>()
    var model: [Int64: Int] = [:]
    for round in 0..<20_000 {
      // Dense, sparse, and the ends of what there is.
      let number: Int64 =
        switch random.below(8) {
        case 0: Int64(random.below(1_000)) << 20
        case 1: random.pick([.min, .min + 1, -1, 0, .max - 1, .max])
        default: Int64(random.below(200))
        }
      // Grow, shrink to few, grow again.
      let isGrowing = (round / 4_000).isMultiple(of: 2)
      if random.below(10) < (isGrowing ? 7 : 2) {
        map[number] = round
        model[number] = round
      } else {
        let known = isGrowing ? number : model.keys.first ?? number
        map[known] = nil
        model[known] = nil
      }
      #expect(map[number] == model[number], "seed \(seed), round \(round)")
      #expect(map.count == model.count, "seed \(seed), round \(round)")
    }
    #expect(map.all.sorted() == model.values.sorted(), "seed \(seed)")
    for number in model.keys { #expect(map[number] == model[number], "seed \(seed)") }
  }
}

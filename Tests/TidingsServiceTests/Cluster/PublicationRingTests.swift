internal import RandomSupport
internal import TestSupport
internal import Testing

@testable internal import TidingsService

@Suite struct PublicationRingTests {
  private static let bytesMax = 64 << 20

  private func publication(_ number: UInt64, bytes: Int = 8) -> PublicationRing.Publication {
    var body = [UInt8](repeating: 0, count: max(8, bytes))
    withUnsafeBytes(of: number) { body.replaceSubrange(0..<8, with: $0) }
    return .init(topic: [1], body: body)
  }

  @Test("nobody misses a publication without learning it, whoever reads when")
  func model() {
    let seed = Seed.make("PublicationRingTests")
    var random = SplitMix64(seed: seed)
    var ring = PublicationRing(bytesMax: Self.bytesMax)
    var model: [UInt64: PublicationRing.Publication] = [:]
    var readers: [UInt64] = [0, 0, 0]
    for _ in 0..<20_000 {
      switch random.below(8) {
      case 0..<5:
        let next = publication(ring.last + 1, bytes: random.pick([8, 100, 40_000]))
        ring.append(next)
        model[ring.last] = next
      case 5 where random.oneIn(50): ring.skip()
      default:
        let reader = random.below(readers.count)
        guard let found = ring.publications(after: readers[reader]) else {
          // It was skipped, or is more than is kept.
          let kept = model.filter { $0.key > readers[reader] }
          let bytes = kept.values.reduce(0) { $0 + $1.body.count }
          let isSkipped = UInt64(kept.count) < ring.last - readers[reader]
          #expect(isSkipped || bytes > Self.bytesMax / 2, "seed \(seed)")
          readers[reader] = ring.last
          continue
        }
        let bytes = found.dropLast().reduce(0) { $0 + $1.body.count }
        #expect(bytes <= PublicationRing.answerBytesMax, "seed \(seed)")
        for next in found {
          readers[reader] += 1
          #expect(next == model[readers[reader]], "seed \(seed)")
        }
        #expect(!found.isEmpty || readers[reader] == ring.last, "seed \(seed)")
      }
    }
    #expect(ring.publications(after: ring.last + 1) == nil)
  }

  @Test("what is kept is bounded")
  func bound() {
    var ring = PublicationRing(bytesMax: Self.bytesMax)
    let size = 1 << 20
    for number in 1...100 { ring.append(publication(UInt64(number), bytes: size)) }
    #expect(ring.publications(after: 0) == nil)
    #expect(ring.publications(after: 99)?.count == 1)
    #expect(ring.publications(after: 100 - UInt64(Self.bytesMax / size)) == nil)
  }
}

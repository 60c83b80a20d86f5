internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct LocationCellTests {
  @Test("whatever lies in a circle lies in its cells")
  func covered() throws {
    let seed = Seed.make("LocationCells")
    var random = SplitMix64(seed: seed)
    func degrees(_ bound: Int) -> Double {
      let fraction = Double(random.below(1_000_001)) / 1_000_000
      return random.pick([-1, 1, 0, fraction, -fraction, 1 - fraction * 1e-6]) * Double(bound)
    }
    var insideCount = 0
    for _ in 0..<2_000 {
      let centre = Location(latitude: degrees(90), longitude: degrees(180))
      let metres = random.pick([0.5, 30, 2_000, 90_000, 3e6, 1.1e7, 2.1e7])
      let ranges = LocationCell.ranges(around: centre, metres: metres)
      #expect((1...LocationCell.cellsMax).contains(ranges.count), "seed \(seed)")
      for (a, b) in zip(ranges, ranges.dropFirst()) { #expect(a.upperBound < b.lowerBound) }
      for _ in 0..<20 {
        let scale = metres / 111_000 * Double(random.below(1_001)) / 1_000
        var other = Location(
          latitude: centre.latitude + scale * random.pick([-1, 0, 0.7, 1]),
          longitude: centre.longitude + scale * random.pick([-1, 0, 1, 3, -20])
        )
        if random.oneIn(4) { other = Location(latitude: degrees(90), longitude: degrees(180)) }
        other.latitude = min(max(other.latitude, -90), 90)
        if other.longitude < -180 { other.longitude += 360 }
        if other.longitude > 180 { other.longitude -= 360 }
        guard (-180...180).contains(other.longitude), other.distance(to: centre) < metres else {
          continue
        }
        insideCount += 1
        let number = LocationCell.number(of: other)
        #expect(
          ranges.contains { $0.contains(number) },
          "\(other) \(centre) \(metres) seed \(seed)"
        )
      }
    }
    #expect(insideCount > 5_000)
  }

  @Test("the cells of a circle are not many times its size")
  func tight() {
    let centre = Location(latitude: 48.1, longitude: 11.5)
    for metres in [50.0, 500, 5_000, 50_000] {
      let cells = LocationCell.ranges(around: centre, metres: metres)
        .reduce(0.0) { $0 + Double($1.upperBound - $1.lowerBound) + 1 }
      let cellMetres = Location.earthRadius * Location.earthRadius * .pi * .pi * 2 / 0x1p64
      let area = cells * cellMetres * 0.67
      #expect(area < 4 * 4 * metres * metres, "\(metres): \(area)")
    }
  }
}

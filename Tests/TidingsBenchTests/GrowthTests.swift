import BenchCore
import Foundation
import RandomSupport
import TestSupport
import Testing

/// How costs grow, in words and in pictures.
@Suite struct GrowthTests {
  private static let sizes = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

  private func shape(_ sizes: [Int] = sizes, _ cost: (Double) -> Double) -> GrowthShape {
    GrowthShape(of: sizes.map { ($0, cost(Double($0))) })
  }

  @Test("each growth is named, also beside a constant part")
  func shapes() {
    #expect(shape { _ in 12 } == .constant)
    #expect(shape { 100 - $0.squareRoot() / 20 } == .constant)
    #expect(shape { 5 + 3 * log($0) } == .logarithmic)
    #expect(shape { 8 + $0.squareRoot() } == .squareRoot)
    #expect(shape { 40 + 0.01 * $0 } == .linear)
    #expect(shape { $0 } == .linear)
    #expect(shape { 30_000 + 20_000 * log($0) + 5 * $0 } == .linear)
    #expect(shape { 3 + $0 * $0 } == .quadratic)
    #expect(shape([], { $0 }) == .constant)
    #expect(shape([1_000], { $0 }) == .constant)
  }

  @Test("costs that vary by a fifth keep their names", arguments: 0..<20)
  func noise(_ run: Int) {
    let seed = Seed.make("growthNoise")
    var random = SplitMix64(seed: seed)
    func noisy(_ cost: (Double) -> Double) -> GrowthShape {
      let costs = Self.sizes.map { size in
        (size, cost(Double(size)) * Double(80 + random.below(41)) / 100)
      }
      return GrowthShape(of: costs)
    }
    #expect(noisy { _ in 12 } == .constant, "seed \(seed)")
    #expect(noisy { 20 + 0.01 * $0 } >= .linear, "seed \(seed)")
    #expect(noisy { 5 + 6 * log($0) } <= .squareRoot, "seed \(seed)")
  }

  @Test("an axis is measured decade by decade up to its own largest size")
  func sizes() {
    #expect(GrowthAxis.records.sizes(largest: 20_000) == [1_000, 10_000, 20_000])
    #expect(GrowthAxis.records.sizes(largest: 10) == [1_000])
    #expect(GrowthAxis.connections.sizes(largest: .max) == [1, 10, 100, 1_000, 2_000])
    #expect(GrowthAxis.zones.sizes(largest: 1) == [1])
  }

  static let run = GrowthRun(
    machine: Machine(
      processor: "a processor",
      cores: 2,
      kernel: "Linux 6",
      build: "release",
      zeroMQ: "4.3.4",
      sqlite: "3.40.1",
      date: "2026-11-23T00:00:00Z"
    ),
    command: "tidings-bench growth",
    curves: [
      GrowthCurve(
        operation: "fetch <one>",
        axis: .records,
        points: [
          .init(size: 1_000, processor: 9.5, p50: 100),
          .init(size: 10_000, processor: 10, p50: 110),
        ]
      ),
      GrowthCurve(
        operation: "list & count",
        axis: .records,
        points: [
          .init(size: 1_000, processor: 40, p50: 200),
          .init(size: 10_000, processor: 400, p50: 900),
        ]
      ),
      GrowthCurve(
        operation: "list of all zones",
        axis: .zones,
        handlesAll: true,
        points: [
          .init(size: 1, processor: 5, p50: 200), .init(size: 10_000, processor: 4_000, p50: 5_000),
        ]
      ),
    ]
  )

  @Test("a run is read as it was written")
  func json() throws {
    #expect(try GrowthRun(json: Self.run.json()) == Self.run)
  }

  @Test("the page names each curve, and those that grow too fast")
  func page() throws {
    let page = GrowthPage(Self.run, picturesFolder: "growth").markdown
    #expect(page.contains("| fetch <one> | 9.50 | 10.0 | 110 | constant |"))
    #expect(page.contains("| list & count | 40.0 | 400 | 900 | linear |"))
    #expect(page.contains("![Cost of each operation by the number of records](growth/records.svg)"))
    #expect(page.hasSuffix("Faster than logarithmic: list & count (records: linear).\n"))
  }

  @Test("the picture of a small run is the one that was looked at")
  func picture() throws {
    let pictures = GrowthPage(Self.run, picturesFolder: "growth").pictures
    #expect(pictures.map(\.file) == ["records.svg", "zones.svg"])
    #expect(pictures[0].svg == Self.recordsPicture)
  }
}

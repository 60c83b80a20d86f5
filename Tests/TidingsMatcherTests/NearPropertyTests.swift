import RandomSupport
import Testing
import TidingsMatcher
import TidingsModel

@Suite("Channels near a place, at random")
struct NearPropertyTests {
  /// Places where a grid over the globe goes wrong first, and others.
  private func position(_ random: inout SplitMix64) -> Location {
    func degrees(_ limit: Double) -> Double {
      (Double(random.below(2_000_001)) / 1_000_000 - 1) * limit
    }
    switch random.below(6) {
    case 0:
      return Location(
        latitude: random.pick([90, -90, 89.999_99, -89.99, 0, -0.0]),
        longitude: random.pick([180, -180, 0, -0.0, 179.999_999, -179.999_999, degrees(180)])
      )
    case 1: return Location(latitude: degrees(90), longitude: random.pick([180, -180, 179.99]))
    case 2: return Location(latitude: 88 + degrees(2), longitude: degrees(180))
    default: return Location(latitude: degrees(90), longitude: degrees(180))
    }
  }

  /// A place about so many metres away, in any direction.
  private func neighbour(
    of position: Location,
    metres: Double,
    _ random: inout SplitMix64
  ) -> Location {
    let degrees = metres / 111_195
    let north = (Double(random.below(2_001)) / 1_000 - 1) * degrees
    var east = (Double(random.below(2_001)) / 1_000 - 1) * degrees
    let latitude = min(max(position.latitude + north, -90), 90)
    // Near a pole, any longitude is near.
    east *= random.oneIn(4) ? 50 : 1
    var longitude = (position.longitude + east).remainder(dividingBy: 360)
    longitude = min(max(longitude, -180), 180)
    return Location(latitude: latitude, longitude: longitude)
  }

  @Test(
    "a place finds the circles that it lies in, and no others",
    arguments: 1...6 as ClosedRange<UInt64>
  )
  func agreesWithDistance(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let index = ChannelIndex()
    let radii: [Double] = [0.5, 3, 40, 999, 12_345, 250_000, 1_500_000, 4_999_999, 6_000_000, 1e8]
    var circles: [(centre: Location, metres: Double)] = []
    for channel in 0..<400 {
      let centre = position(&random)
      let metres = random.pick(radii)
      circles.append((centre, metres))
      index.insert(
        WatchedChannel(
          channel: Int64(channel),
          database: 1,
          recordType: "T",
          predicate: try Predicate(
            root: .comparison(
              Predicate.Comparison(
                field: "at",
                operator: .near,
                values: [.location(centre), .double(metres)]
              )
            )
          ),
          options: .recordCreation
        )
      )
    }
    var smallCount = 0
    for _ in 0..<2_000 {
      let (centre, metres) = random.pick(circles)
      let position =
        random.oneIn(4)
        ? self.position(&random) : neighbour(of: centre, metres: metres * 1.2, &random)
      let expected = circles.indices.filter {
        position.distance(to: circles[$0].centre) < circles[$0].metres
      }
      smallCount += expected.count { circles[$0].metres < 1_000_000 }
      var record = Record(recordID: RecordID(recordName: "r"), recordType: "T")
      record.fields["at"] = .location(position)
      var firings: [Firing] = []
      index.match(
        database: 1,
        zone: 1,
        old: nil,
        new: record,
        at: Timestamp(millisecondsSince1970: 0),
        into: &firings
      )
      #expect(firings.map(\.channel) == expected.map(Int64.init), "seed \(seed), \(position)")
    }
    #expect(smallCount > 500, "seed \(seed)")
    for channel in circles.indices { #expect(index.remove(channel: Int64(channel))) }
  }
}

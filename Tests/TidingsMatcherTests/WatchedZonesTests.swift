import RandomSupport
import Testing
import TidingsMatcher
import TidingsModel

@Suite("Channels of zones and databases")
struct WatchedZonesTests {
  private let notes = ZoneID(zoneName: "notes")
  private let mail = ZoneID(zoneName: "mail")
  private let time = Timestamp(millisecondsSince1970: 7)

  private func match(
    _ zones: inout WatchedZones,
    _ zone: ZoneID,
    _ types: Set<String>,
    itself: Bool = false
  ) -> [Int64] {
    zones.match(database: 1, zone: zone, recordTypes: types, isZoneItself: itself, at: time)
  }

  @Test("a zone's change fires its channels and the database's, by record type")
  func fires() {
    var zones = WatchedZones()
    zones.insert(4, database: 1, zone: notes, recordType: "")
    zones.insert(3, database: 1, zone: notes, recordType: "Note")
    zones.insert(2, database: 1, zone: nil, recordType: "")
    zones.insert(1, database: 1, zone: nil, recordType: "Note")
    zones.insert(5, database: 2, zone: nil, recordType: "")
    #expect(match(&zones, notes, ["Note"]) == [1, 2, 3, 4])
    #expect(match(&zones, notes, ["Tag"]) == [2, 4])
    #expect(match(&zones, mail, ["Tag", "Note"]) == [1, 2])
    #expect(match(&zones, notes, []) == [])
    #expect(match(&zones, notes, [], itself: true) == [2, 4])
    #expect(match(&zones, notes, ["Note"], itself: true) == [1, 2, 3, 4])
    #expect(zones.evaluation(database: 1).count == 5)
    #expect(zones.evaluation(database: 1).last == time)
    #expect(zones.evaluation(database: 2) == Evaluation())
  }

  @Test("what is removed or replaced no longer fires", arguments: 1...3 as ClosedRange<UInt64>)
  func agreesWithScan(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var zones = WatchedZones()
    var model: [Int64: (database: Int64, zone: ZoneID?, type: String)] = [:]
    for round in 0..<2_000 {
      let number = Int64(random.below(40))
      if random.oneIn(2) {
        let watched = (
          database: Int64(random.below(2)), zone: random.pick([notes, mail, nil]),
          type: random.pick(["", "A", "B"])
        )
        zones.insert(
          number,
          database: watched.database,
          zone: watched.zone,
          recordType: watched.type
        )
        model[number] = watched
      } else {
        #expect(zones.remove(number) == (model.removeValue(forKey: number) != nil))
      }
      let types = random.pick([[], ["A"], ["B"], ["A", "B"], ["C"]] as [Set<String>])
      let zone = random.pick([notes, mail])
      let isZoneItself = random.oneIn(3)
      let expected = model.filter { _, watched in
        watched.database == 1 && (watched.zone == nil || watched.zone == zone)
          && (watched.type.isEmpty
            ? isZoneItself || !types.isEmpty : types.contains(watched.type))
      }.keys.sorted()
      #expect(
        match(&zones, zone, types, itself: isZoneItself) == expected,
        "seed \(seed), round \(round)"
      )
      #expect(zones.watches(database: 1) == model.values.contains { $0.database == 1 })
      #expect(zones.count == model.count)
    }
  }
}

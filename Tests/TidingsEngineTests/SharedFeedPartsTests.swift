internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// What the feeds of shared databases are made of, without a store.
@Suite struct SharedFeedPartsTests {
  @Test("a position in several shares survives its token, and nothing else passes for one")
  func tokens() {
    let positions: [SharedZonePosition] = [
      .records([:]),
      .records([7: .beginning(head: 12), 9: SharedPosition(sequence: 5, name: "b ~", born: 6)]),
      .records([1: SharedPosition(sequence: .max - 1)]),
      .zone(share: 4, FeedPosition(sequence: 3, location: 0, born: 9)),
    ]
    for position in positions {
      let numbers = position.numbers
      #expect(SharedZonePosition(numbers) == position)
      for count in 1..<max(numbers.count, 1) {
        #expect(SharedZonePosition(Array(numbers.prefix(count))) != position)
      }
    }
    #expect(SharedZonePosition([]) == nil)
    #expect(SharedZonePosition([2, 1]) == nil)
    #expect(SharedZonePosition([0, 7, 1, 1, 300] + Array(repeating: 65, count: 3)) == nil)
    #expect(SharedZonePosition([0, 7, 1, 1, 1, 700]) == nil)
    #expect(SharedZonePosition([0, 7, -1, 1, 0]) == nil)

    let heads = SharedHeads(heads: [3: 8, 11: 0])
    #expect(SharedHeads(heads.numbers) == heads && heads.numbers == [3, 8, 11, 0])
    #expect(SharedHeads([1]) == nil && SharedHeads([1, 2, 1, 3]) == nil)
  }

  @Test("random tokens are read without harm")
  func hostileTokens() {
    let seed = Seed.make("SharedTokens")
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let numbers = (0..<random.below(12)).map { _ in
        random.oneIn(4) ? Int64(bitPattern: random.next()) : Int64(random.below(4))
      }
      guard let position = SharedZonePosition(numbers) else { continue }
      #expect(SharedZonePosition(position.numbers) == position, "seed \(seed)")
    }
  }

  private func row(
    _ share: Int64,
    _ changed: Int64,
    _ name: String,
    gone: Bool = false
  ) -> SharedRow {
    SharedRow(share: share, changed: changed, name: name, recordType: "T", isGone: gone)
  }

  @Test("rows of several shares come oldest first, whatever the sizes of the batches")
  func merged() throws {
    let seed = Seed.make("MergedSharedRows")
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var all: [SharedRow] = []
      for share in 1...Int64(1 + random.below(6)) {
        for number in 0..<random.below(300) {
          all.append(row(share, Int64(1 + random.below(60)), "r\(share)-\(number)"))
        }
      }
      var positions: [Int64: SharedPosition] = [:]
      for share in Set(all.map(\.share)) {
        let location = random.pick(all)
        positions[share] =
          random.oneIn(3)
          ? SharedPosition(sequence: location.changed)
          : random.oneIn(2)
            ? SharedPosition(sequence: location.changed, name: location.name) : SharedPosition()
      }
      func isBehind(_ row: SharedRow, _ location: SharedPosition) -> Bool {
        guard let name = location.name else { return row.changed > location.sequence }
        return (row.changed, row.name) > (location.sequence, name)
      }
      var merged = MergedSharedRows(positions) { share, location, count in
        Array(all.filter { $0.share == share && isBehind($0, location) }.sorted().prefix(count))
      }
      var found: [SharedRow] = []
      while let next = try merged.next() { found.append(next) }
      let expected = all.filter { row in positions[row.share].map { isBehind(row, $0) } ?? false }
      #expect(found == expected.sorted(), "seed \(seed)")
    }
  }

  @Test("read back, they come newest first from one location on")
  func mergedBack() throws {
    let seed = Seed.make("MergedSharedRowsBack")
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var all: [SharedRow] = []
      for share in 1...Int64(1 + random.below(6)) {
        for number in 0..<random.below(300) {
          all.append(row(share, Int64(1 + random.below(60)), "r\(share)-\(number)"))
        }
      }
      guard let start = all.randomElement(using: &random) else { continue }
      let location = SharedPosition(sequence: start.changed, name: start.name)
      let positions = Dictionary(all.map { ($0.share, location) }, uniquingKeysWith: { $1 })
      func isBefore(_ row: SharedRow, _ location: SharedPosition) -> Bool {
        (row.changed, row.name) < (location.sequence, location.name ?? "")
      }
      var merged = MergedSharedRows(positions, newestFirst: true) { share, location, count in
        let rows = all.filter { $0.share == share && isBefore($0, location) }
        return Array(rows.sorted { $1 < $0 }.prefix(count))
      }
      var found: [SharedRow] = []
      while let next = try merged.next() { found.append(next) }
      #expect(found == all.filter { isBefore($0, location) }.sorted { $1 < $0 }, "seed \(seed)")
    }
  }

  @Test("a position of reading back survives its token, and nothing else passes for one")
  func tokensBack() {
    let bases: [Int64: SharedPosition] = [
      7: .beginning(head: 12), 9: SharedPosition(sequence: 5, name: "b ~", born: 6),
    ]
    var records = SharedRecordsBack(downTo: bases, head: 20)
    let begun = SharedNewestPosition.records(records)
    records.reached = SharedPosition(sequence: 8, name: "x")
    for position in [
      begun, .records(records),
      .zone(share: 4, NewestFirstPosition(downTo: .beginning(head: 3), head: 9)),
    ] {
      #expect(SharedNewestPosition(position.numbers) == position)
      for count in 0..<position.numbers.count {
        #expect(SharedNewestPosition(Array(position.numbers.prefix(count))) != position)
      }
    }
    #expect(records.isKnown(row(9, 5, "b ~")) && !records.isKnown(row(9, 5, "c")))
    #expect(records.isKnown(row(9, 4, "z")) && !records.isKnown(row(7, 1, "a")))
    #expect(records.isKnown(row(8, 90, "a")), "a share that came later")
    #expect(SharedNewestPosition([2, 1]) == nil && SharedNewestPosition([0, 1, 0, 9]) == nil)
  }

  @Test("what is gone from one share is reported by one share at most")
  func goneRows() {
    let gone = row(1, 9, "a", gone: true)
    let ahead = SharedPosition(sequence: 5)
    #expect(!gone.isReported(beside: row(2, 9, "a"), ahead), "it moved")
    #expect(!gone.isReported(beside: row(2, 3, "a"), ahead), "it moved back")
    #expect(!gone.isReported(beside: row(2, 12, "a", gone: true), ahead), "the other reports later")
    #expect(!gone.isReported(beside: row(2, 9, "a", gone: true), ahead), "the higher number shows")
    #expect(row(2, 9, "a", gone: true).isReported(beside: gone, ahead))
    #expect(gone.isReported(beside: row(2, 7, "a", gone: true), ahead))
    #expect(gone.isReported(beside: row(2, 4, "a", gone: true), ahead), "reported by the other")
    let born = SharedPosition.beginning(head: 20)
    #expect(gone.isReported(beside: row(2, 12, "a", gone: true), born), "the other never reports")
  }

  @Test("the zones of shares: changed, unchanged, lost, and lost with others left")
  func zones() {
    func share(_ number: Int64, _ zone: String, of owner: String = "ada") -> StoredShare {
      StoredShare(
        number: number,
        database: 1,
        zoneNumber: 1,
        zone: ZoneID(zoneName: zone),
        owner: owner,
        name: "s\(number)",
        root: "r\(number)",
        publicPermission: .none,
        head: 0,
        floor: 0
      )
    }
    var zones = SharedZones()
    zones.add(share(1, "a"), head: 5)
    zones.add(share(2, "b"), head: 6)
    zones.add(share(3, "a"), head: 7)
    zones.add(share(4, "a", of: "eve"), head: 8)
    zones.add(lost: share(5, "c"))
    zones.add(lost: share(6, "b"))
    let known = SharedHeads(heads: [1: 5, 2: 6, 3: 7, 4: 7, 5: 1, 6: 1])
    let changes = zones.all.filter { $0.hasChanges(to: known) }
    #expect(changes.map(\.id.zoneName) == ["b", "a", "c"])
    #expect(changes.map(\.id.ownerName) == ["ada", "eve", "ada"])
    #expect(changes.map(\.heads.isEmpty) == [false, false, true])
    #expect(zones.all.first?.heads == [1: 5, 3: 7])
  }
}

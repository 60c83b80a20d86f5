import TestSupport
import Testing
import TidingsProto

@testable import rpcctl

@Suite struct ZoneDigestTests {
  private static func record(_ number: Int, price: Int, zone: String = "notes") -> TidingsV1.Record
  {
    .init(
      recordID: .init(recordName: "r\(number)", zoneID: .init(zoneName: zone)),
      recordType: "T",
      fields: [
        "price": .init(value: .int64Value(Int64(price))), "name": .init(value: .stringValue("x")),
        "next": .init(
          value: .referenceValue(
            .init(recordID: .init(recordName: "r0", zoneID: .init(zoneName: zone)))
          )
        ),
      ],
      changeTag: "\(number)\(zone)",
      modified: .init(timestamp: .init(seconds: Int64(number * zone.utf8.count)))
    )
  }

  private static func digest(_ records: [TidingsV1.Record]) -> ZoneDigest {
    var digest = ZoneDigest()
    for record in records { digest.add(record) }
    return digest
  }

  @Test(
    "order, zone, tags and times are ignored; each field counts",
    arguments: [0, 7, 499]
  )
  func same(index: Int) {
    let records = (0..<500).map { Self.record($0, price: $0) }
    let copies = Array((0..<500).map { Self.record($0, price: $0, zone: "archive") }.reversed())
    let (one, other) = (Self.digest(records), Self.digest(copies))
    #expect(one == other && one.text == other.text && one.differences(from: other).isEmpty)
    var changed = copies
    changed[index].fields["price"] = .init(value: .int64Value(-1))
    let third = Self.digest(changed)
    let name = changed[index].recordID?.recordName ?? ""
    #expect(one.differences(from: third) == [ZoneDigest.part(of: name)])
    #expect(one.text != third.text)
    let fewer = Self.digest(Array(copies.dropLast()))
    #expect(fewer.recordCount == 499 && one.differences(from: fewer).count == 1)
  }

  @Test("an ordered feed is complete; problems are reported")
  func feed() {
    func page(_ tags: [String], token: UInt8, more: Bool = false) -> TidingsV1.ZoneChanges {
      .init(
        changedRecords: tags.map { .init(recordID: .init(recordName: "r\($0)"), changeTag: $0) },
        changeToken: [token],
        moreComing: more
      )
    }
    var good = FeedCheck()
    good.add(page(["1", "2", "2", "a"], token: 1, more: true))
    good.add(page(["b", "10"], token: 2))
    good.end(sequenceNumber: 36)
    #expect(good.problems.isEmpty && good.recordCount == 6 && good.pageCount == 2)
    var bad = FeedCheck()
    bad.add(page(["5", "3"], token: 1, more: true))
    bad.add(page(["?"], token: 1, more: true))
    bad.compare(
      .init(recordID: .init(recordName: "r"), changeTag: "5"),
      stored: .init(changeTag: "4")
    )
    bad.end(sequenceNumber: 4)
    #expect(
      bad.problems == [
        "record 'r3' (3) comes after 5", "page 2 does not advance the token",
        "record 'r?' has an invalid change tag '?'",
        "record 'r' is older (4) than in the feed (5)", "the feed ends at 5, after the zone's 4",
      ]
    )
  }
}

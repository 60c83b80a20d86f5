import Foundation
import RandomSupport
import TestSupport
import Testing
import TidingsEncryption
import TidingsProto

@testable import TidingsKit

/// A `Date` that is saved comes back equal.
@Suite(.endsServers) struct DateTests {
  /// Any date of the years 1970 to 2100, with all the digits that a `Date` has; none so near to 2001 that it has
  /// more than nanoseconds.
  private static func date(_ random: inout SplitMix64) -> Date {
    while true {
      let seconds = Double.random(in: 0..<4_102_444_800, using: &random)
      let date = Date(timeIntervalSince1970: random.oneIn(4) ? seconds.rounded() : seconds)
      if abs(date.timeIntervalSinceReferenceDate) > 100 * 86_400 { return date }
    }
  }

  private static let farDates = [
    Date(), .distantFuture, Date(timeIntervalSince1970: 0),
    Date(timeIntervalSince1970: -0.25), Date(timeIntervalSinceReferenceDate: 0),
    Date(timeIntervalSince1970: 1_767_323_045.678_9),
    Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7),
    Date(timeIntervalSinceReferenceDate: -63_113_903_999.999_99),
    Date(timeIntervalSinceReferenceDate: 252_423_993_599.999_97),
  ]

  @Test("fields, lists, places and sealed values; queries, sorted and by index; feeds")
  func roundTrips() async throws {
    let seed = Seed.make("DateTests.roundTrips")
    var random = SplitMix64(seed: seed)
    let kit = try await KitServer()
    let folder = try TemporaryFolder()
    var connection = CKContainer.Connection()
    connection.endpoints = [kit.server.rpcEndpoint]
    connection.user = "ada"
    connection.keyRingFile = folder.file("ada.ring")
    try KeyRingFile(path: connection.keyRingFile).create(KeyRing([.init(EncryptionKey(), .seal)]))
    let database = CKContainer(connection).privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "calendar"))
    let random20 = (0..<20).map { _ in Self.date(&random) }
    let dates = Self.farDates + random20
    let records = dates.enumerated().map { index, date in
      let id = CKRecord.ID(recordName: "e\(index)", zoneID: zone.zoneID)
      let record = CKRecord(recordType: "Event", recordID: id)
      record["begins"] = date
      record["days"] = [date, Date(timeIntervalSince1970: 0.1)]
      record["place"] = CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2),
        altitude: 0,
        horizontalAccuracy: 0,
        verticalAccuracy: 0,
        timestamp: date
      )
      record.encryptedValues["secret"] = date
      return record
    }
    let saved = try await database.modifyRecords(saving: records, deleting: []).saveResults
    for (index, record) in records.enumerated() {
      let date = dates[index]
      let written = try #require(saved[record.recordID]).get()
      let fetched = try await database.record(for: record.recordID)
      #expect(fetched["begins"] as? Date == date, "\(date) seed \(seed)")
      #expect(fetched["days"] as? [Date] == record["days"] as? [Date], "\(date) seed \(seed)")
      #expect((fetched["place"] as? CLLocation)?.timestamp == date, "\(date) seed \(seed)")
      #expect(fetched.encryptedValues["secret"] as? Date == date, "\(date) seed \(seed)")
      #expect(fetched.creationDate == written.creationDate && fetched.creationDate != nil)
      #expect(fetched.modificationDate == written.modificationDate)
    }
    let predicates = dates.map { NSPredicate(format: "begins == %@", $0 as NSDate) }
    for (index, predicate) in predicates.enumerated() {
      let query = CKQuery(recordType: "Event", predicate: predicate)
      let found = try await database.records(matching: query, inZoneWith: zone.zoneID)
      let names = Set(found.matchResults.map(\.0.recordName))
      #expect(names == Set(dates.indices.filter { dates[$0] == dates[index] }.map { "e\($0)" }))
    }
    let query = CKQuery(recordType: "Event", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "begins", ascending: true)]
    let sorted = try await database.records(matching: query, inZoneWith: zone.zoneID)
    let begins = try sorted.matchResults.map { try $0.1.get()["begins"] as? Date }
    #expect(begins == dates.sorted(), "seed \(seed)")
    let feed = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    let fed = try feed.modificationResultsByID.map { try $1.get().record["begins"] as? Date }
    #expect(Set(fed) == Set(dates), "seed \(seed)")
  }

  @Test("a date before the year 1 is refused in words; distantPast is two days before it")
  func tooEarly() async throws {
    let kit = try await KitServer()
    let record = CKRecord(recordType: "Event")
    record["begins"] = Date.distantPast
    await #expect {
      _ = try await kit.container().privateCloudDatabase.save(record)
    } throws: { error in
      (error as? CKError)?.code == .invalidArguments && "\(error)".contains("0001-01-01")
    }
  }

  @Test("in a predicate distantPast is the beginning of the year 1, and distantFuture is as it is")
  func sinceEver() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = CKRecord(recordType: "Event")
    record["begins"] = Date(timeIntervalSince1970: 0)
    _ = try await database.save(record)
    for (format, count) in [("begins > %@", 1), ("begins < %@", 0), ("begins IN %@", 0)] {
      let argument: Any = format.contains("IN") ? [Date.distantPast] : Date.distantPast
      let query = CKQuery(
        recordType: "Event",
        predicate: NSPredicate(format: format, argumentArray: [argument])
      )
      #expect(try await database.records(matching: query).matchResults.count == count, "\(format)")
    }
  }

  @Test("a date becomes the nearest nanosecond: away from 2001 the same date comes back")
  func conversion() throws {
    let seed = Seed.make("DateTests.conversion")
    var random = SplitMix64(seed: seed)
    func time(_ date: Date) -> GoogleProtobuf.Timestamp { .init(date) }
    for _ in 0..<5_000 {
      let far = Double.random(in: 8_388_608..<252_423_993_600, using: &random)
      let interval = random.oneIn(2) ? far : max(-far, -63_113_904_000)
      let date = Date(timeIntervalSinceReferenceDate: interval)
      #expect(Date(time(date)) == date, "\(interval) seed \(seed)")
      // Nearer, a Double is finer than a nanosecond; what came back once stays.
      let near = Date(
        timeIntervalSinceReferenceDate: Double.random(in: -8_388_608...8_388_608, using: &random)
      )
      let once = Date(time(near))
      #expect(abs(once.timeIntervalSince(near)) <= 1e-9, "\(near) seed \(seed)")
      #expect(Date(time(once)) == once && time(once) == time(near), "\(near) seed \(seed)")
      // What people write, to the microsecond, comes back anywhere.
      let micros = Double(random.below(2_000_000_000_000)) / 1e6
      let written = Date(timeIntervalSinceReferenceDate: micros)
      #expect(Date(time(written)) == written, "\(micros) seed \(seed)")
    }
    for interval in [-1e-20, -0.0, 1e-20, -1e-9, 0.999_999_999_9, .leastNonzeroMagnitude] {
      let once = Date(time(Date(timeIntervalSinceReferenceDate: interval)))
      #expect(Date(time(once)) == once && abs(once.timeIntervalSinceReferenceDate) <= 1)
    }
    // What no server takes does not end the program.
    for interval in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      _ = time(Date(timeIntervalSinceReferenceDate: interval))
    }
  }
}

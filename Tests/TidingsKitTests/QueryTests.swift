import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsKit

/// Queries in the three styles of CloudKit's users.
@Suite(.endsServers) struct QueryTests {
  /// A database with whistles: genre, stars 0 to 9, a place, an owner.
  private func database(_ count: Int = 10) async throws -> CKDatabase {
    let database = try await KitServer().container().privateCloudDatabase
    let owner = CKRecord(recordType: "People", recordID: CKRecord.ID(recordName: "owner"))
    let whistles = (0..<count).map { number in
      let record = CKRecord(
        recordType: "Whistles",
        recordID: CKRecord.ID(recordName: "whistle \(number)")
      )
      record["genre"] = (number.isMultiple(of: 2) ? "Pop" : "Jazz") as any CKRecordValue
      record["stars"] = number as any CKRecordValue
      record["comments"] = "Number \(number) is lovely"
      record["place"] = CLLocation(latitude: 50, longitude: Double(number % 100))
      record["date"] = Date(timeIntervalSince1970: Double(number) * 1000)
      record["tags"] = ["tag\(number)", "all"]
      if number < 3 { record["owner"] = CKRecord.Reference(record: owner, action: .none) }
      return record
    }
    let (results, _) = try await database.modifyRecords(
      saving: [owner] + whistles,
      deleting: [],
      atomically: false
    )
    for result in results.values { _ = try result.get() }
    return database
  }

  private func names(_ database: CKDatabase, _ predicate: NSPredicate) async throws -> [Int] {
    let query = CKQuery(recordType: "Whistles", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: true)]
    return try await database.records(matching: query).matchResults
      .compactMap { try $0.1.get()["stars"] as? Int }
  }

  @Test("predicates as programs write them find what they say")
  func predicates() async throws {
    let database = try await database()
    func find(_ format: String, _ arguments: Any?...) async throws -> [Int] {
      try await names(
        database,
        NSPredicate(format: format, argumentArray: arguments.map { $0 as Any })
      )
    }
    #expect(try await names(database, NSPredicate(value: true)) == Array(0..<10))
    #expect(try await names(database, NSPredicate(value: false)) == [])
    #expect(try await find("genre = 'Jazz'") == [1, 3, 5, 7, 9])
    #expect(try await find("genre == %@ AND stars > %d", "Jazz", 4) == [5, 7, 9])
    #expect(try await find("%K BEGINSWITH %@", "genre", "Po") == [0, 2, 4, 6, 8])
    #expect(try await find("stars IN %@", [1, 2, 30]) == [1, 2])
    #expect(try await find("stars BETWEEN %@", [3, 5]) == [3, 4, 5])
    #expect(try await find("stars BETWEEN {%d, %d}", 3, 5) == [3, 4, 5])
    #expect(try await find("tags CONTAINS %@", "tag4") == [4])
    #expect(try await find("%@ IN tags", "tag4") == [4])
    #expect(try await find("ANY tags = %@", "tag4") == [4])
    #expect(try await find("self contains 'number'") == Array(0..<10))
    let date = Date(timeIntervalSince1970: 7000)
    #expect(try await find("date > %@", date as any CVarArg) == [8, 9])
    #expect(try await find("date >= %@", date as NSDate) == [7, 8, 9])
    let position = CLLocation(latitude: 50, longitude: 3)
    let near = "distanceToLocation:fromLocation:(place, %@) < %f"
    #expect(try await find(near, position, 100_000.0) == [2, 3, 4])
    let owner = CKRecord.ID(recordName: "owner")
    #expect(try await find("owner == %@", owner) == [0, 1, 2])
    #expect(
      try await find("owner = %@", CKRecord.Reference(recordID: owner, action: .deleteSelf)).count
        == 3
    )
    let ids = [CKRecord.ID(recordName: "whistle 1"), CKRecord.ID(recordName: "whistle 2")]
    #expect(try await find("recordID IN %@", ids) == [1, 2])
    #expect(try await find("recordID == %@", ids[0]) == [1])
    let user = try await database.record(for: ids[0]).creatorUserRecordID
    #expect(try await find("creatorUserRecordID == %@", user).count == 10)
    #expect(try await find("modificationDate > %@", Date(timeIntervalSince1970: 0)).count == 10)
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(format: "stars < %d", 2), NSPredicate(format: "stars > %d", 8),
    ])
    #expect(try await names(database, either) == [0, 1, 9])
  }

  @Test("an operation shows each record once and in order, then the end")
  func operations() async throws {
    let database = try await database()
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(format: "stars < %d", 7))
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
    let reported = Mutex<[String]>([])
    let cursor: CKQueryOperation.Cursor? = try await withCheckedThrowingContinuation { waiting in
      let operation = CKQueryOperation(query: query)
      operation.desiredKeys = ["stars"]
      operation.resultsLimit = 4
      operation.recordFetchedBlock = { record in
        reported.withLock { $0.append("\(record["stars"] as? Int ?? -1) \(record.allKeys())") }
      }
      operation.recordMatchedBlock = { id, result in
        guard case .success(let record) = result else { return }
        reported.withLock { $0.append("\(record["stars"] as? Int ?? -1) matched") }
      }
      operation.queryCompletionBlock = { cursor, error in
        reported.withLock { $0.append("end") }
        if let error { waiting.resume(throwing: error) } else { waiting.resume(returning: cursor) }
      }
      database.add(operation)
    }
    let first = [6, 5, 4, 3].flatMap { ["\($0) [\"stars\"]", "\($0) matched"] }
    #expect(reported.withLock { $0 } == first + ["end"])

    let rest: [Int] = try await withCheckedThrowingContinuation { waiting in
      guard let cursor else { return waiting.resume(returning: []) }
      let stars = Mutex<[Int]>([])
      let operation = CKQueryOperation(cursor: cursor)
      operation.recordMatchedBlock = { _, result in
        guard let number = (try? result.get())?["stars"] as? Int else { return }
        stars.withLock { $0.append(number) }
      }
      operation.queryResultBlock = { [weak operation] result in
        #expect(operation?.queryCursor == nil)
        waiting.resume(with: result.map { _ in stars.withLock { $0 } })
      }
      database.add(operation)
    }
    #expect(rest == [2, 1, 0])
  }

  @Test("pages follow one another by cursors; without limits all of it comes")
  func pages() async throws {
    let database = try await database(1000)
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: true)]
    var stars: [Int] = []
    var (page, cursor) = try await database.records(matching: query, resultsLimit: 450)
    #expect(page.count == 450)
    var pages = 1
    while let next = cursor {
      stars += try page.compactMap { try $0.1.get()["stars"] as? Int }
      (page, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 450)
      pages += 1
    }
    stars += try page.compactMap { try $0.1.get()["stars"] as? Int }
    #expect(stars == Array(0..<1000))
    #expect(pages == 3)
    let all: [CKRecord] = try await withCheckedThrowingContinuation { waiting in
      database.perform(query, inZoneWith: nil) { records, error in
        if let error { return waiting.resume(throwing: error) }
        waiting.resume(returning: records ?? [])
      }
    }
    #expect(all.compactMap { $0["stars"] as? Int } == Array(0..<1000))
    let fewer: CKDatabase.QueryPage = try await withCheckedThrowingContinuation { waiting in
      database.fetch(withQuery: query, desiredKeys: [], resultsLimit: 3) {
        waiting.resume(with: $0)
      }
    }
    #expect(fewer.matchResults.map(\.0.recordName) == ["whistle 0", "whistle 1", "whistle 2"])
    let next = try #require(fewer.queryCursor)
    let more: CKDatabase.QueryPage = try await withCheckedThrowingContinuation { waiting in
      database.fetch(withCursor: next, resultsLimit: 1) { waiting.resume(with: $0) }
    }
    #expect(more.matchResults.map(\.0.recordName) == ["whistle 3"])
  }

  @Test("places sort by distance; queries stay in their zone")
  func sorting() async throws {
    let database = try await database(5)
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(value: true))
    let here = CLLocation(latitude: 50, longitude: 3.2)
    query.sortDescriptors = [CKLocationSortDescriptor(key: "place", relativeLocation: here)]
    let records = try await database.perform(query, inZoneWith: CKRecordZone.default().zoneID)
    #expect(records.compactMap { $0["stars"] as? Int } == [3, 4, 2, 1, 0])
    await #expect(throws: CKError.self) {
      try await database.perform(query, inZoneWith: CKRecordZone.ID(zoneName: "nowhere"))
    }
  }

  @Test("a query that cannot be asked says why, to each style")
  func refusals() async throws {
    let database = try await database(1)
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(format: "a MATCHES %@", "x"))
    do {
      _ = try await database.records(matching: query)
      Issue.record("a regular expression was accepted")
    } catch let error as CKError {
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains("MATCHES"))
    }
    let block = CKQuery(recordType: "Whistles", predicate: NSPredicate { _, _ in true })
    let error: (any Error)? = await withCheckedContinuation { waiting in
      database.perform(block, inZoneWith: nil) { _, error in waiting.resume(returning: error) }
    }
    #expect((error as? CKError)?.code == .invalidArguments)
    let neither: (any Error)? = await withCheckedContinuation { waiting in
      let operation = CKQueryOperation()
      operation.queryCompletionBlock = { waiting.resume(returning: $1) }
      database.add(operation)
    }
    #expect((neither as? CKError)?.code == .invalidArguments)
  }
}

internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let verifyChanges = Verb(
    command: Command(
      "changes gaps",
      "Verify that the change feeds of zones are ordered and complete.",
      operands: "[ZONE…]",
      completion: .live("zones"),
      discussion: """
        Reads each feed from the beginning: change tags must increase, none may be newer than the zone,
        and each record must exist with the version in the feed. Exits with 3 if there is a problem.
        Without ZONE, checks all zones of the database.

        Examples:
          rpcctl changes gaps
          rpcctl changes gaps notes -o json
        """
    ),
    run: { invocation in
      let session = try await invocation.connect()
      let zones = try await invocation.zones(invocation.arguments.operands, over: session)
      var list: [JSONValue] = []
      var table = Table(["ZONE", "SEQUENCE", "RECORDS", "PAGES", "RESULT"])
      var isWhole = true
      for zone in zones {
        let id = zone.zoneID ?? .init()
        var check = FeedCheck()
        for try await page in invocation.pages(of: id, over: session, desiredKeys: []) {
          check.add(page)
          let ids = page.changedRecords.compactMap(\.recordID)
          let results = try await invocation.fetch(ids, desiredKeys: [], over: session)
          for (record, result) in zip(page.changedRecords, results) {
            check.compare(record, stored: try result.storedRecord)
          }
          if invocation.output.showsProgress {
            invocation.output.show(
              progress: "\(id.shownName): \(counted(check.recordCount, "record"))"
            )
          }
        }
        // Fetched again: the feed includes what was saved meanwhile.
        let now = try await invocation.zones([id.shownName], over: session).first ?? zone
        check.end(sequenceNumber: now.sequenceNumber)
        isWhole = isWhole && check.problems.isEmpty
        list.append(check.json(zone: id, now.sequenceNumber))
        table.append(
          [id.shownName, "\(now.sequenceNumber)", "\(check.recordCount)", "\(check.pageCount)"],
          lastCell: check.problems.isEmpty ? "ok" : check.problems.joined(separator: "\n")
        )
      }
      invocation.output.endProgress()
      invocation.output.write(list) { table }
      return isWhole ? .success : .conditionNotMet
    }
  )

  /// The verbs that are only `changes …`; others are aliases of operations.
  static let changeVerbs = [tailChanges, verifyChanges, compareChecksum]
}

/// Checks the invariants of a feed while it is read.
struct FeedCheck {
  /// Most problems that are reported for a zone.
  private static let problemsMax = 100

  private(set) var recordCount = 0
  private(set) var pageCount = 0
  private(set) var problems: [String] = []
  private var last: UInt64 = 0
  private var token: [UInt8] = []

  /// Checks the next page.
  mutating func add(_ page: TidingsV1.ZoneChanges) {
    pageCount += 1
    if page.moreComing, page.changeToken == token {
      note("page \(pageCount) does not advance the token")
    }
    token = page.changeToken
    for record in page.changedRecords {
      recordCount += 1
      let name = record.recordID?.recordName ?? ""
      guard let number = Self.number(record.changeTag) else {
        note("record '\(name)' has an invalid change tag '\(record.changeTag)'")
        continue
      }
      if number < last { note("record '\(name)' (\(number)) comes after \(last)") }
      last = max(last, number)
    }
  }

  /// Compares a record of the feed with the stored one.
  mutating func compare(_ record: TidingsV1.Record, stored: TidingsV1.Record?) {
    let name = record.recordID?.recordName ?? ""
    // Deleted or saved again after the page was read: a later page has it.
    guard let stored, let now = Self.number(stored.changeTag),
      let then = Self.number(record.changeTag)
    else { return }
    if now < then { note("record '\(name)' is older (\(now)) than in the feed (\(then))") }
    if now == then, stored.recordType != record.recordType {
      note("record '\(name)' has type \(stored.recordType), but \(record.recordType) in the feed")
    }
  }

  /// Checks the end of the feed against the zone's sequence number.
  mutating func end(sequenceNumber: UInt64) {
    if last > sequenceNumber {
      note("the feed ends at \(last), after the zone's \(sequenceNumber)")
    }
  }

  private mutating func note(_ problem: String) {
    if problems.count < Self.problemsMax { problems.append(problem) }
  }

  /// The zone's sequence number at a record's last change.
  private static func number(_ changeTag: String) -> UInt64? { UInt64(changeTag, radix: 36) }

  /// The result as JSON.
  func json(zone: TidingsV1.ZoneID, _ sequenceNumber: UInt64) -> JSONValue {
    var object = zone.json
    object.append("sequenceNumber", .string("\(sequenceNumber)"))
    object.append("records", .integer(recordCount))
    object.append("pages", .integer(pageCount))
    object.append("problems", .array(problems.map { .string($0) }))
    return .object(object)
  }
}

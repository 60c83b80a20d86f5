internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let verifyChanges = Verb(
    command: Command(
      "changes gaps",
      "Verifies that the change feeds of zones are in order and whole.",
      operands: "[ZONE…]",
      completion: .live("zones"),
      discussion: """
        Reads each feed from the beginning: its change tags must rise, none may be newer than the zone,
        and each record that it tells must be there by name, as it tells it. Ends with 3 when something
        is wrong. Without ZONE all zones of the database.

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
        // Asked for again: what was saved meanwhile is in the feed too.
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

/// What a feed must be like, checked while it is read.
struct FeedCheck {
  /// Most problems that are told of a zone.
  private static let problemsMax = 100

  private(set) var recordCount = 0
  private(set) var pageCount = 0
  private(set) var problems: [String] = []
  private var last: UInt64 = 0
  private var token: [UInt8] = []

  /// Takes the next page.
  mutating func add(_ page: TidingsV1.ZoneChanges) {
    pageCount += 1
    if page.moreComing, page.changeToken == token { note("page \(pageCount) does not move on") }
    token = page.changeToken
    for record in page.changedRecords {
      recordCount += 1
      let name = record.recordID?.recordName ?? ""
      guard let number = Self.number(record.changeTag) else {
        note("record '\(name)' has no change tag that is a number: '\(record.changeTag)'")
        continue
      }
      if number < last { note("record '\(name)' (\(number)) comes after \(last)") }
      last = max(last, number)
    }
  }

  /// Compares a record of the feed with the one of its name.
  mutating func compare(_ record: TidingsV1.Record, stored: TidingsV1.Record?) {
    let name = record.recordID?.recordName ?? ""
    // Deleted, or saved again, since the page was made: a later page tells it.
    guard let stored, let now = Self.number(stored.changeTag),
      let then = Self.number(record.changeTag)
    else { return }
    if now < then { note("record '\(name)' is older (\(now)) than the feed has it (\(then))") }
    if now == then, stored.recordType != record.recordType {
      note("record '\(name)' is a \(stored.recordType), and the feed has a \(record.recordType)")
    }
  }

  /// The feed is at its end, and the zone has this number.
  mutating func end(sequenceNumber: UInt64) {
    if last > sequenceNumber { note("the feed has \(last), and the zone only \(sequenceNumber)") }
  }

  private mutating func note(_ problem: String) {
    if problems.count < Self.problemsMax { problems.append(problem) }
  }

  /// The zone's number at a record's last change.
  private static func number(_ changeTag: String) -> UInt64? { UInt64(changeTag, radix: 36) }

  /// For programs.
  func json(zone: TidingsV1.ZoneID, _ sequenceNumber: UInt64) -> JSONValue {
    var object = zone.json
    object.append("sequenceNumber", .string("\(sequenceNumber)"))
    object.append("records", .integer(recordCount))
    object.append("pages", .integer(pageCount))
    object.append("problems", .array(problems.map { .string($0) }))
    return .object(object)
  }
}

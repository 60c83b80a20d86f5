internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct ChangeFeedTests {
  private let notes = ZoneID(zoneName: "notes")

  private func error(_ body: () throws -> Void) -> ItemError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ItemError
    }
  }

  private func records(_ range: Range<Int>, _ zone: ZoneID? = nil) -> [Record] {
    range.map { Record("T", "r\($0)", zone ?? notes) }
  }

  @Test("a page may end inside a batch; the last page is not empty")
  func insideABatch() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<7))
    let first = try harness.page(notes, limit: 4)
    #expect(first.names == ["r0", "r1", "r2", "r3"] && first.moreComing)
    let second = try harness.page(notes, after: first.token, limit: 3)
    #expect(second.names == ["r4", "r5", "r6"] && !second.moreComing)
    let third = try harness.page(notes, after: second.token)
    #expect(third.isEmpty && !third.moreComing && third.token == second.token)
  }

  @Test("an initial fetch shows no deletions from before it, and those that happen while it pages")
  func initialFetch() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<6))
    try harness.modify(notes, deletions: ["r1"])
    let first = try harness.page(notes, limit: 2)
    #expect(first.names == ["r0", "r2"])
    try harness.modify(notes, deletions: ["r0", "r5"])
    let rest = try harness.page(notes, after: first.token)
    #expect(rest.names == ["r3", "r4"] && rest.deleted.map(\.name) == ["r0", "r5"])
    #expect(rest.deleted.map(\.type) == ["T", "T"])
  }

  @Test("changes can be read newest first, page by page, down to where a token was")
  func newestFirst() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<4))
    func back(_ token: [UInt8] = [], limit: Int = 0) throws -> ReadZonePage {
      let request = ZoneFeedRequest(zone: notes, changeToken: token, order: .newestFirst)
      return try harness.pages([request], limit: limit)[0]
    }
    let all = try back()
    #expect(all.names == ["r3", "r2", "r1", "r0"] && !all.moreComing)
    #expect(try back(all.token).isEmpty)
    let known = try harness.page(notes, limit: 2)
    try harness.modify(notes, saves: records(4..<7), deletions: ["r1"])
    let first = try back(known.token, limit: 2)
    #expect(first.moreComing && first.names.count + first.deleted.count == 2)
    // It is ahead of the pages that follow.
    try harness.modify(notes, saves: records(2..<3))
    let second = try back(first.token)
    #expect(!second.moreComing && second.names.last == "r3")
    let names = first.names + second.names + (first.deleted + second.deleted).map(\.name)
    #expect(Set(names) == ["r1", "r3", "r4", "r5", "r6"] && names.count == 5, "\(names)")
    // A token of one direction does not continue in the other.
    #expect(error { _ = try harness.page(notes, after: first.token) }?.code == .invalidArguments)
    // Without a token, what was deleted before is not reported.
    #expect(try back().deleted.isEmpty)
    let typed = ZoneFeedRequest(zone: notes, recordTypes: ["Other"], order: .newestFirst)
    #expect(try harness.pages([typed])[0].isEmpty)
  }

  @Test("a token of a zone as it is now continues with what changes from then on")
  func tokenOnly() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<4))
    let now = try harness.pages([ZoneFeedRequest(zone: notes, order: .none)])[0]
    #expect(now.isEmpty && !now.moreComing && !now.token.isEmpty)
    #expect(try harness.page(notes, after: now.token).isEmpty)
    try harness.modify(notes, saves: records(1..<2), deletions: ["r2"])
    let next = try harness.page(notes, after: now.token)
    #expect(next.names == ["r1"] && next.deleted.map(\.name) == ["r2"])
  }

  @Test("what is forgotten expires the tokens that would need it, and no others")
  func expiry() throws {
    var limits = Limits()
    limits.tombstoneRetention = .seconds(7200)
    let harness = try ZoneStore(limits: limits)
    try harness.saveZone(notes)
    for start in [0, 300, 600] {
      try harness.modify(notes, saves: records(start..<start + 300))
    }
    let before = try harness.page(notes).token
    try harness.modify(notes, deletions: (0..<300).map { "r\($0)" })
    var paging = try harness.page(notes, limit: 100).token
    // The old token's holder has 400 records and is owed the rest, and the deletions.
    let after = try harness.page(notes, after: before)
    #expect(after.names.first == "r400" && after.saved.count == 400 && after.moreComing)
    let rest = try harness.page(notes, after: after.token)
    let drained = try harness.page(notes, after: rest.token).token
    // More than one piece of the maintenance task.
    try harness.pass(.seconds(7300))
    let expired = error { _ = try harness.page(notes, after: before) }
    #expect(expired?.code == .changeTokenExpired)
    #expect(
      expired?.message
        == "the change token of zone 'notes' is too old: deletions are forgotten after 2 hours: "
        + "drop what you cached of it and fetch without a token"
    )
    #expect(try harness.page(notes, after: drained).isEmpty)
    // An initial fetch that was on its way never saw what is forgotten.
    var names: [String] = []
    while true {
      let page = try harness.page(notes, after: paging)
      names += page.names
      paging = page.token
      if !page.moreComing { break }
    }
    #expect(names == (400..<900).map { "r\($0)" })
    #expect(try harness.page(notes).saved.first?.recordID.recordName == "r300")
  }

  @Test("a zone that was created again expires the tokens of the old one")
  func recreatedZone() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<3))
    let (drained, paging) = (try harness.page(notes).token, try harness.page(notes, limit: 1).token)
    try harness.deleteZone(notes)
    for token in [[], drained] {
      let gone = error { _ = try harness.page(notes, after: token) }
      #expect(gone?.code == .zoneNotFound)
    }
    harness.time += 1
    try harness.saveZone(notes)
    for token in [drained, paging] {
      let expired = error { _ = try harness.page(notes, after: token) }
      #expect(expired?.code == .changeTokenExpired)
      #expect(expired?.message.contains("created again") == true)
    }
    #expect(try harness.page(notes).isEmpty)
  }

  @Test("a zone that is not there says why")
  func absentZones() throws {
    let harness = try ZoneStore()
    #expect(error { _ = try harness.page(notes) }?.code == .zoneNotFound)
    let reasons: [(ZoneDeletionReason, ItemError.Code)] = [
      (.deleted, .zoneNotFound), (.purged, .userDeletedZone), (.encryptedDataReset, .zoneNotFound),
    ]
    for (reason, code) in reasons {
      try harness.saveZone(notes)
      try harness.deleteZone(notes, because: reason)
      #expect(error { _ = try harness.page(notes) }?.code == code)
    }
    #expect(error { _ = try harness.page(ZoneID(zoneName: "_x")) }?.code == .invalidArguments)
  }

  @Test("the default zone's feed begins before anything was written, in any database")
  func defaultZone() throws {
    let harness = try ZoneStore()
    let open = DatabaseID(
      container: "default",
      environment: .development,
      scope: .public,
      owner: ""
    )
    for database in [ZoneStore.database, open] {
      let empty = try harness.pages([.init(zone: .default)], in: database)[0]
      #expect(empty.isEmpty && !empty.moreComing)
      let zones = try harness.databasePage(in: database)
      #expect(zones.changedZones.isEmpty && !zones.moreComing)
      try harness.modify(.default, saves: records(0..<2, .default), in: database)
      let page = try harness.pages(
        [.init(zone: .default, changeToken: empty.token)],
        in: database
      )[0]
      #expect(page.names == ["r0", "r1"])
      #expect(
        try harness.databasePage(after: zones.changeToken, in: database).changedZones == [.default]
      )
    }
  }

  @Test("tokens of other zones, databases, users and feeds are refused, and so is anything changed")
  func foreignTokens() throws {
    let harness = try ZoneStore()
    let drafts = ZoneID(zoneName: "drafts")
    try harness.saveZone(notes)
    try harness.saveZone(drafts)
    let token = try harness.page(notes).token
    let databaseToken = try harness.databasePage().changeToken
    func refuses(_ zone: ZoneID, _ token: [UInt8], _ database: DatabaseID) -> Bool {
      let error = error {
        _ = try harness.pages([.init(zone: zone, changeToken: token)], in: database)
      }
      return error?.code == .invalidArguments
    }
    var (bob, container) = (ZoneStore.database, ZoneStore.database)
    bob.owner = "bob"
    container.container = "other"
    #expect(!refuses(notes, token, ZoneStore.database))
    #expect(refuses(drafts, token, ZoneStore.database))
    #expect(refuses(notes, databaseToken, ZoneStore.database))
    #expect(refuses(notes, [1, 2, 3], ZoneStore.database))
    for database in [bob, container] {
      let zoneToken = try harness.pages([.init(zone: .default)])[0].token
      #expect(refuses(.default, zoneToken, database))
      #expect(
        error { _ = try harness.databasePage(after: databaseToken, in: database) }?.code
          == .invalidArguments
      )
    }
    #expect(error { _ = try harness.databasePage(after: token) }?.code == .invalidArguments)
    for index in token.indices {
      for bit in 0..<8 {
        var changed = token
        changed[index] ^= 1 << bit
        #expect(error { _ = try harness.page(notes, after: changed) } != nil)
      }
      #expect(refuses(notes, Array(token[..<index]), ZoneStore.database) || index == 0)
    }
    #expect(error { _ = try ZoneStore().databasePage(after: databaseToken) } != nil)
  }

  @Test("the limit and the bytes of a call are shared over its zones, in order")
  func sharedBudget() throws {
    var limits = Limits()
    limits.answerBytesMax = 3_400
    let harness = try ZoneStore(limits: limits)
    let zones = (0..<4).map { ZoneID(zoneName: "z\($0)") }
    for zone in zones.dropLast() {
      try harness.saveZone(zone)
      try harness.modify(
        zone,
        saves: (0..<3).map { number in
          var record = Record("T", "r\(number)", zone)
          record.fields = ["padding": .bytes([UInt8](repeating: 1, count: 900))]
          return record
        }
      )
    }
    try harness.saveZone(zones[3])
    func counts(_ requests: [ZoneFeedRequest], limit: Int = 0) throws -> [[Int]] {
      try harness.pages(requests, limit: limit).map { [$0.saved.count, $0.moreComing ? 1 : 0] }
    }
    let all = zones.map { ZoneFeedRequest(zone: $0) }
    #expect(try counts(all, limit: 2) == [[2, 1], [0, 1], [0, 1], [0, 0]])
    // About 1,000 bytes each.
    #expect(try counts(all) == [[3, 0], [0, 1], [0, 1], [0, 0]])
    #expect(
      try counts(zones.map { ZoneFeedRequest(zone: $0, limit: 1) }) == [
        [1, 1], [1, 1], [1, 1], [0, 0],
      ]
    )
    // A record that alone is too large still comes.
    limits.answerBytesMax = 10
    var budget = FeedBudget(limit: 0, limits)
    #expect(budget.take(bytes: 11) && !budget.take(bytes: 1))
  }

  @Test("a filter moves the token on over what it skips")
  func filterProgress() throws {
    var limits = Limits()
    limits.feedRowsPerCallMax = 10
    let harness = try ZoneStore(limits: limits)
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<35) + [Record("U", "u", notes)])
    var (token, pages) = ([] as [UInt8], 0)
    while true {
      let page = try harness.page(notes, after: token, types: ["U"])
      #expect(page.token != token)
      token = page.token
      pages += 1
      guard page.moreComing else {
        #expect(page.names == ["u"] && pages == 4)
        break
      }
      #expect(page.isEmpty)
    }
  }

  @Test("a device's mark comes once the pages cover the save that it came with")
  func marks() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<2))
    try harness.modify(notes, saves: records(2..<4))
    try harness.execute(
      """
      INSERT INTO client_tokens (zone_id, owner, device, sequence, token)
      SELECT id, 'ada', 'laptop', 2, 'mine' FROM zones WHERE name = 'notes'
      """
    )
    // The whole of batch 1, a part of batch 2, all of it.
    for (limit, mark) in [(2, ""), (3, ""), (4, "mine")] {
      #expect(try harness.page(notes, limit: limit).mark == Array(mark.utf8), "\(limit)")
    }
    let others = [
      Caller(user: "ada", device: "phone"), Caller(user: "ada", device: ""),
      Caller(user: "bob", device: "laptop"), Caller(user: "", device: "laptop"),
    ]
    for caller in others {
      #expect(try harness.pages([.init(zone: notes)], caller: caller)[0].mark.isEmpty)
    }
  }

  @Test("desired keys leave the other fields out")
  func desiredKeys() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.modify(notes, saves: records(0..<1))
    for (keys, names) in [(Set(["other"]), ["other"]), (Set<String>(), [])] {
      let request = ZoneFeedRequest(zone: notes, desiredKeys: keys)
      let record = try #require(try harness.pages([request])[0].saved.first)
      #expect(record.fields.sorted.map(\.name) == names && !record.changeTag.isEmpty)
    }
  }

  @Test("forgotten deletions of zones expire the database's older tokens")
  func databaseExpiry() throws {
    let harness = try ZoneStore()
    try harness.saveZone(notes)
    try harness.saveZone(ZoneID(zoneName: "drafts"))
    let before = try harness.databasePage().changeToken
    try harness.deleteZone(notes, because: .purged)
    let after = try harness.databasePage(after: before)
    #expect(after.deletedZones == [.init(zone: notes, reason: .purged)])
    try harness.pass(.seconds(91 * 86_400))
    let expired = error { _ = try harness.databasePage(after: before) }
    #expect(expired?.code == .changeTokenExpired)
    #expect(expired?.message.contains("after 90 days") == true)
    #expect(try harness.databasePage(after: after.changeToken).changeToken == after.changeToken)
    try harness.restart()
    #expect(try harness.databasePage(after: after.changeToken).changedZones.isEmpty)
    try harness.saveZone(notes)
    #expect(try harness.databasePage(after: after.changeToken).changedZones == [notes])
  }

  @Test("a transaction shows which zones it changed")
  func changedZones() throws {
    let harness = try ZoneStore()
    let database = ZoneStore.database
    try harness.saveZone(notes)
    #expect(harness.committed?.zones == [.init(database: database, zone: notes)])
    let created = try harness.engine.head(of: database)
    try harness.modify(notes, saves: records(0..<3))
    #expect(harness.committed?.zones == [.init(database: database, zone: notes)])
    #expect(try harness.engine.head(of: database) == created + 1)
    try harness.modify(notes, deletions: ["unknown"])
    #expect(harness.committed?.zones == [])
    try harness.deleteZone(notes)
    #expect(harness.committed?.zones == [.init(database: database, zone: notes)])
  }
}

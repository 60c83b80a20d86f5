internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// Calls that take long among others: they are given up, and made again with pauses.
@Suite(.embeddedOnly) struct LongCallTests {
  @Test("a call that is given up has written nothing, and comes to the same with pauses")
  func givenUp() throws {
    var limits = Limits()
    limits.callCostMax = 0
    let world = try FaultWorld(limits: limits)
    let pace = world.engine.pace
    var (givenUp, pauses) = (Set<String>(), 0)
    for call in FaultCall<Engine>.writes + FaultCall<Engine>.reads {
      let expected = try answer(of: call, world)

      pace.givesUpLongCalls = true
      try world.engine.begin()
      let before = try changeCount(world)
      do {
        #expect(try call(world, world.engine) == expected, "\(call.name)")
      } catch is LongCall {
        givenUp.insert(call.name)
        #expect(try changeCount(world) == before, "\(call.name)")
      }
      world.engine.rollback()

      pace.pause = { pauses += 1 }
      #expect(try answer(of: call, world) == expected, "\(call.name)")
      pace.pause = nil
      pace.givesUpLongCalls = false
    }
    #expect(
      givenUp.isSuperset(of: [
        "save", "delete with sources", "delete a tree", "save in a share", "change a share",
        "end a share", "lease", "zones", "shared zones", "subscriptions", "channels", "usage",
        "shares",
      ])
    )
    #expect(pauses > 100)
  }

  @Test("a zone with many shares is deleted with pauses only")
  func manyShares() throws {
    let world = try FaultWorld()
    let names = (0..<51).map { "r\($0)" }
    let zone = ZoneID(zoneName: "shares")
    try world.commit { engine in
      _ = try engine.saveZone(zone, in: FaultWorld.home, caller: FaultWorld.ada)
    }
    try world.save(names.map { FaultWorld.record($0, zone) })
    try world.save(names.map { FaultWorld.share("share of \($0)", zone, of: $0) })
    let pace = world.engine.pace
    pace.givesUpLongCalls = true
    try world.engine.begin()
    pace.begin()
    try world.engine.checkChanges(saving: [], deleting: [FaultWorld.whole], in: FaultWorld.home)
    #expect(throws: LongCall.self) {
      try world.engine.checkChanges(
        saving: [],
        deleting: [FaultWorld.whole, zone],
        in: FaultWorld.home
      )
    }
    var pauses = 0
    pace.pause = { pauses += 1 }
    try world.engine.checkChanges(saving: [], deleting: [zone], in: FaultWorld.home)
    try world.engine.deleteZone(
      zone,
      in: FaultWorld.home,
      because: .deleted,
      caller: FaultWorld.ada
    )
    pace.pause = nil
    _ = try world.engine.commit()
    #expect(pauses >= 51)
    let left = try number(
      "SELECT count(*) FROM shares WHERE zone_name = 'shares' AND ended IS NULL",
      world
    )
    #expect(left == 0)
  }

  private func answer(of call: FaultCall<Engine>, _ world: FaultWorld) throws -> String {
    defer { world.engine.rollback() }
    try world.engine.begin()
    world.engine.pace.begin()
    return try call(world, world.engine)
  }

  private func changeCount(_ world: FaultWorld) throws -> Int64 {
    try number("SELECT total_changes()", world)
  }

  private func number(_ sql: String, _ world: FaultWorld) throws -> Int64 {
    let statement = try world.connection.prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : -1
  }
}

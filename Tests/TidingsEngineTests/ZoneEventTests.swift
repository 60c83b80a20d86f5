internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel

/// What is stored when zones change that zone and database subscriptions watch.
@Suite struct ZoneEventTests {
  @Test("a call fires a zone or database channel once for each zone, and by record type")
  func oncePerZone() throws {
    let store = try EventStore()
    try store.saveZones("attic", "cellar")
    try store.subscribe("attic", .recordZone, type: "", zone: "attic")
    try store.subscribe("cars", .recordZone, type: "Car", zone: "attic")
    try store.subscribe("default", .recordZone, type: "", zone: "_defaultZone")
    try store.subscribe("all", .database, type: "")
    try store.subscribe("database cars", .database, type: "Car")
    try store.modify((0..<50).map { Record("r\($0)", zone: "attic", ["n": .int64($0)]) })
    #expect(try store.newStories() == ["zone attic", "database attic"])
    try store.modify([
      Record("c", zone: "attic", type: "Car", [:]), Record("r", zone: "cellar", [:]),
      Record("r", zone: "attic", [:]),
    ])
    #expect(
      try store.newStories()
        == ["zone attic", "zone attic", "database attic", "database attic", "database cellar"]
    )
    try store.modify(delete: [
      RecordID(recordName: "c", zoneID: ZoneID(zoneName: "attic")), RecordID(recordName: "none"),
    ])
    #expect(
      try store.newStories() == ["zone attic", "zone attic", "database attic", "database attic"]
    )
    try store.modify([Record("x", type: "Car", [:])])
    #expect(
      try store.newStories()
        == ["zone _defaultZone", "database _defaultZone", "database _defaultZone"]
    )
  }

  @Test("creating and deleting a zone fires; who watches the zone receives only of its end")
  func zonesThemselves() throws {
    let store = try EventStore()
    try store.saveZones("attic")
    try store.subscribe("attic", .recordZone, type: "", zone: "attic")
    try store.subscribe("cars", .recordZone, type: "Car", zone: "attic")
    try store.subscribe("all", .database, type: "")
    try store.subscribe("database cars", .database, type: "Car")
    try store.saveZones("attic", "_defaultZone")
    #expect(try store.newStories() == [])
    try store.saveZones("cellar", "roof")
    let created = try store.newEvents()
    #expect(created.map(\.story) == ["database cellar", "database roof"])
    #expect(Set(created.map(\.batch)) == [created[0].id])

    try store.modify([Record("r", zone: "attic", [:])])
    _ = try store.newEvents()
    try store.deleteZone("attic")
    #expect(try store.newStories() == ["zone attic", "database attic"])
    try store.saveZones("attic")
    #expect(try store.newStories() == ["database attic"])
    try store.modify([Record("c", zone: "attic", type: "Car", [:])])
    #expect(try store.newEvents().count == 4)
    try store.deleteZone("attic")
    #expect(
      try store.newStories() == ["zone attic", "zone attic", "database attic", "database attic"]
    )
    try store.deleteZone("cellar")
    #expect(try store.newStories() == ["database cellar"])
  }

  @Test("the subscription on a zone that is deleted stays, and works when the zone is there again")
  func zoneComesBack() throws {
    let store = try EventStore()
    try store.saveZones("attic")
    try store.subscribe("q", zone: "attic", on: [.recordCreation, .recordDeletion])
    try store.subscribe("z", .recordZone, type: "", zone: "attic")
    try store.modify([Record("r", zone: "attic", [:])])
    try store.deleteZone("attic")
    #expect(
      try store.newStories() == ["created r", "zone attic", "deleted r", "zone attic"]
    )
    try store.restart()
    let error = #expect(throws: ItemError.self) {
      try store.subscribe("q2", .recordZone, type: "", zone: "attic")
    }
    #expect(error?.code == .zoneNotFound)
    #expect(error?.message.contains("'q2'") == true)
    try store.saveZones("attic")
    try store.modify([Record("r", zone: "attic", [:])])
    #expect(try store.newStories() == ["created r", "zone attic"])
  }

  @Test("deleting a zone fires query channels for what matched")
  func deletedRecords() throws {
    let store = try EventStore()
    try store.saveZones("attic")
    try store.subscribe("d", where: "n > 1", on: [.recordDeletion])
    try store.subscribe("l", where: "n > 2", on: [.recordLeave])
    try store.modify((0..<4).map { Record("r\($0)", zone: "attic", ["n": .int64($0)]) })
    try store.modify([Record("r9", ["n": .int64(9)])])
    _ = try store.newEvents()
    try store.deleteZone("attic")
    let events = try store.newEvents()
    #expect(events.map(\.story) == ["deleted r2", "deleted r3", "left r3"])
    #expect(Set(events.map(\.batch)) == [events[0].id])
  }
}

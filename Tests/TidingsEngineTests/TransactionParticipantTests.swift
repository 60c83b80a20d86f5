internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// What the engine remembers follows its transactions.
@Suite struct TransactionParticipantTests {
  /// What need not follow them, and why.
  private static let exempt: [String: String] = [
    "AdmittedKeys.state": "is updated after a commit",
    "AnswerLog.expiredCost": "lives as long as one call",
    "AnswerLog.nextPurge": "a purge that was rolled back is done at the next one",
    "ChannelFirings.firings": "of the change at hand",
    "ChannelFirings.prepared": "of the change at hand",
    "ChannelSweep.channel": "a walk that starts again",
    "ChannelSweep.subscription": "a walk that starts again",
    "DeliverySeal.ring": "keys of a file, which is read once",
    "WakeUpFlag.isRaised": "raised once too often does no harm",
    "EndedShareRows.position": "is forgotten by ShareTable",
    "Engine.maintenance": "all of them are woken",
    "Engine.moment": "is of the open transaction",
    "Engine.mustReload": "is what makes participants follow",
    "FetchLog.pending": "hints, which may be lost",
    "LazyStatements.compiled": "statements",
    "NotificationRetention.sweepDue": "what a sweep left is swept at the next one",
    "Pace.end": "lives as long as one call",
    "Pace.pause": "lives as long as one turn",
    "RememberedCount.details": "how much participants remember",
    "RememberedCount.entries": "how much participants remember",
    "SharedRetention.value": "is adopted from RetentionSettings",
    "SteadyClock.offset": "shows what StoreTime has",
    "WatchedChannels.entries": "ChannelRegistry restores what a transaction changed",
    "WatchedChannels.matchingTime": "is measured",
    "WatchedChannels.memoryBytes": "ChannelRegistry restores what a transaction changed",
    "WatchedChannels.readers": "ChannelRegistry restores what a transaction changed",
    "WatchedChannels.time": "is of the open transaction",
    "WatchedChannels.zoneNumbers": "ChannelRegistry restores what a transaction changed",
    "WatchedChannels.zones": "ChannelRegistry restores what a transaction changed",
  ]
  /// Set when the engine is made, and never again.
  private static let constant: Set<String> = [
    "AccessAssembly.webCredentials", "AssetTable.contents",
    "ControlTopics.secret", "DeliverySeal.keys", "DeliverySeal.secret",
    "Engine.incarnation",
    "EventsAssembly.originTags",
    "Engine.pushKeys", "Engine.reloadsAlways", "Engine.secretEraser", "ModifyRecords.hasAccount",
    "ModifyRecords.isKnownUser",
    "ModifyRecords.mayTeach", "ModifySubscriptions.isDeveloper", "Pace.costMax",
    "Pace.givesUpLongCalls", "Pace.timeMax", "RememberedCount.max", "RoomResources.readingAhead",
    "RoomResources.secret",
    "UserErasureTable.secret",
  ]

  @Test("whatever remembers something of the store  takes part in transactions")
  func registered() throws {
    let engine = try ZoneStore().engine
    var walk = MemoryWalk(participants: engine.participants)
    walk.visit(engine)
    #expect(walk.participantsMet == engine.participants.count)
    let known = Self.constant.union(Self.exempt.keys)
    let strangers = walk.found.subtracting(known)
    #expect(strangers.isEmpty, "make them participants, or say why they need not be")
    #expect(known.subtracting(walk.found).isEmpty, "these are no more")
  }

  @Test("an engine that nobody has any more is gone, with its connection")
  func released() throws {
    weak var engine: Engine?
    do {
      let harness = try ZoneStore()
      harness.engine.requireKnownParticipants()
      harness.engine.letOnlyDevelopersTeach()
      try harness.saveZone(ZoneID(zoneName: "notes"))
      engine = harness.engine
    }
    #expect(engine == nil)
  }
}

/// Finds the stored properties of an engine's classes that are no participants.
private struct MemoryWalk {
  private let participants: Set<ObjectIdentifier>
  private var seen: Set<ObjectIdentifier> = []
  /// `Class.property`.
  private(set) var found: Set<String> = []

  init(participants: [any TransactionParticipant]) {
    self.participants = Set(participants.map { ObjectIdentifier($0) })
  }

  var participantsMet: Int { participants.intersection(seen).count }

  mutating func visit(_ object: AnyObject) {
    // What has a participant of the engine as its owner is kept by that.
    guard String(reflecting: type(of: object)).hasPrefix("TidingsEngine."),
      seen.insert(ObjectIdentifier(object)).inserted
    else { return }
    let isParticipant = participants.contains(ObjectIdentifier(object))
    visitProperties(of: object, isParticipant: isParticipant)
  }

  private mutating func visitProperties(of owner: Any, isParticipant: Bool) {
    for (label, value) in Mirror(reflecting: owner).children {
      if value is any RoomAssembly || value is RoomResources {
        visitProperties(of: value, isParticipant: false)
      } else if look(at: value), !isParticipant {
        found.insert("\(type(of: owner)).\(label ?? "")")
      }
    }
  }

  /// Visits the objects in a value.
  ///
  /// - Returns: Whether there is anything else in it that may change.
  private mutating func look(at value: Any) -> Bool {
    // Of other modules, or of tests; the counter of holds is not of the store.
    if value is any SQLStatement || value is any SQLConnection || value is BodyCodec
      || value is Limits || value is AssetHold.Count
    {
      return false
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .class {
      visit(value as AnyObject)
      return false
    }
    let parts = mirror.children.map { look(at: $0.value) }
    return parts.isEmpty || parts.contains(true)
  }
}

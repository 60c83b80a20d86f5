internal import DiskModel
internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A real server whose machine loses its power: when it starts again it says what it acknowledged, with the call that
/// was under way or without it, and nothing else.
///
/// Its life is recorded once; the power then fails at any of its moments, as often as `TIDINGS_POWER_LOSSES` says.
@Suite(.endsServers, .embeddedOnly) struct PowerLossTests {
  /// What a call came to.
  private enum Effect {
    case subscribed(String)
    case saved(String, Stored)
    case deleted(String)
    case zone(String)
    case user(String)
    case asset(TidingsV1.Asset, [UInt8])
    /// The last line of the audit log: its number and checksum.
    case audited(UInt64, [UInt8])
  }

  /// What a save left of a record.
  private struct Stored: Hashable {
    var number: Int64
    var bytes: Int
  }

  /// What a server says.
  private struct Content: Equatable {
    var records: [String: Stored] = [:]
    /// Whose creation was notified, in order.
    var notifications: [String] = []
    var subscriptions: Set<String> = []
    var zones: Set<String> = []
    var users: Set<String> = []

    mutating func apply(_ effect: Effect) {
      switch effect {
      case .subscribed(let id): subscriptions.insert(id)
      case .saved(let name, let stored):
        if records.updateValue(stored, forKey: name) == nil { notifications.append(name) }
      case .deleted(let name): records[name] = nil
      case .zone(let name): zones.insert(name)
      case .user(let name): users.insert(name)
      case .asset, .audited: break
      }
    }
  }

  private struct Life {
    var journal: DiskJournal
    /// In order, with how many entries each was answered; a call was sent when the one before it was answered.
    var effects: [(end: Int, effect: Effect)] = []
  }

  private static let losses =
    ProcessInfo.processInfo.environment["TIDINGS_POWER_LOSSES"].flatMap(Int.init) ?? 16
  private static let names = (0..<12).map { "h\($0)" }

  private func live(_ random: inout SplitMix64) async throws -> Life {
    let folder = try TemporaryFolder()
    let root = folder.file("data")
    let disk = try DiskFaults(recording: root)
    let server = try await TestServer.start(
      in: folder,
      arguments: ["--limit", "log-bytes-max=1000000"],
      environment: try disk.environment
    )
    let client = try await server.client(as: "ada", device: "laptop")
    let administration = try await administration(of: server)
    var content = Content()
    var effects: [(bytes: Int, effect: Effect)] = []
    func note(_ effect: Effect) {
      effects.append((disk.journalBytes, effect))
      content.apply(effect)
    }
    try await client.subscribe(.init("all", "Houses", on: [.create]))
    note(.subscribed("all"))
    for step in 0..<70 {
      switch random.below(11) {
      case 0:
        let name = "z\(step)"
        _ = try await client.zones.modifyRecordZones(
          .init(zonesToSave: [.init(zoneID: .init(zoneName: name))])
        )
        note(.zone(name))
      case 1:
        let bytes = random.bytes(1 + random.below(60_000))
        let asset = try await client.assets().upload(bytes)
        note(.asset(asset, bytes))
      case 2:
        let name = random.pick(Self.names)
        guard content.records[name] != nil else { continue }
        _ = try await client.modify(delete: [.init(name)])
        note(.deleted(name))
      case 3:
        let name = "u\(step)"
        _ = try await administration.createUser(.init(name: name))
        note(.user(name))
        let line = try await auditLine(UInt64(content.users.count), administration)
        note(.audited(line.headNumber, line.headHash))
      default:
        let name = random.pick(Self.names)
        let stored = Stored(
          number: Int64(step),
          bytes: 1 + random.below(random.oneIn(3) ? 60_000 : 200)
        )
        let padding = [UInt8](repeating: 7, count: stored.bytes)
        try await client.save(
          .init(
            "Houses",
            name,
            [
              "n": .init(integerLiteral: stored.number),
              "text": .init(.bytesValue(padding)),
            ]
          )
        )
        note(.saved(name, stored))
      }
    }
    // In order: the end is recorded too.
    try await server.stop()
    var journal = DiskJournal(root: root)
    journal.append(disk.journal)
    var life = Life(journal: journal)
    life.effects = effects.map { (journal.lastMark(before: $0.bytes), $0.effect) }
    return life
  }

  private func administration(
    of server: TestServer
  ) async throws
    -> TidingsV1.AdminService.Client
  {
    TidingsV1.AdminService.Client(try await server.client(as: "root").transport)
  }

  /// Waits for a line of what administrators did, which is written behind their answers.
  private func auditLine(
    _ number: UInt64,
    _ administration: TidingsV1.AdminService.Client
  ) async throws -> TidingsV1.AuditChain {
    var chain = TidingsV1.AuditChain()
    try await waitUntil("line \(number) of the audit log", pausing: .milliseconds(5)) {
      let chains = try await administration.fetchAuditLog(.init(limit: 1)).chains
      chain = try #require(chains.first { $0.name == "audit" })
      return chain.headNumber >= number
    }
    return chain
  }

  /// What a server says of all that a life may have changed.
  private func content(
    _ client: Client,
    _ administration: TidingsV1.AdminService.Client
  ) async throws -> Content {
    var content = Content()
    for name in Self.names {
      let result = try #require(try await client.fetch([.init(name)]).first)
      guard let record = result.record else {
        #expect(result.error?.code == .unknownItem, "\(name): \(result)")
        continue
      }
      guard case .int64Value(let number)? = record.fields["n"]?.value,
        case .bytesValue(let bytes)? = record.fields["text"]?.value
      else {
        Issue.record("\(name) has other fields: \(record.fields.keys)")
        continue
      }
      #expect(bytes.allSatisfy { $0 == 7 }, "\(name)")
      content.records[name] = Stored(number: number, bytes: bytes.count)
    }
    content.notifications = try await client.feed().notifications
      .compactMap(\.recordID?.recordName)
    let subscriptions = try await client.subscriptions.fetchSubscriptions(.init()).results
    content.subscriptions = Set(subscriptions.compactMap(\.subscription?.subscriptionID))
    let zones = try await client.zones.fetchRecordZones(.init()).results.compactMap {
      if case .zone(let zone)? = $0.outcome { zone.zoneID?.zoneName } else { nil }
    }
    content.zones = Set(zones.filter { $0.hasPrefix("z") })
    let users = try await administration.listUsers(.init()).accounts.map(\.name)
    content.users = Set(users.filter { $0.hasPrefix("u") })
    return content
  }

  private func check(
    _ life: Life,
    _ end: Int,
    _ root: TemporaryFolder,
    _ moment: String
  ) async throws {
    let server = try await TestServer.start(in: root)
    let client = try await server.client(as: "ada", device: "phone")
    let administration = try await administration(of: server)
    let answered = life.effects.prefix { $0.end <= end }.map(\.effect)
    var kept = Content()
    for effect in answered { kept.apply(effect) }
    // Only one call can have been under way; it is done as a whole, or not at all.
    var next = kept
    if answered.count < life.effects.count { next.apply(life.effects[answered.count].effect) }
    let found = try await content(client, administration)
    #expect(found == kept || found == next, "\(moment): after \(answered.count) calls")

    let chains = try await administration.fetchAuditLog(.init(limit: 1, verifies: true)).chains
    for chain in chains { #expect(chain.problems == [], "\(moment): \(chain.name)") }
    let last = chains.first { $0.name == "audit" }
    for case .audited(let number, let hash) in answered {
      let head = try #require(last, "\(moment): no chain")
      #expect(head.headNumber >= number, "\(moment): the audit log lost lines")
      if head.headNumber == number { #expect(head.headHash == hash, "\(moment): line \(number)") }
    }
    // Each line is that of a user who was created.
    #expect(last?.headNumber ?? 0 <= UInt64(next.users.count), "\(moment): the audit log")

    for case .asset(let asset, let bytes) in answered {
      let got = try await client.assets().download(asset)
      #expect(got == bytes, "\(moment): asset of \(bytes.count) bytes")
    }
    try await client.save(.init("Houses", "new", ["n": 1]))
    try await server.crash()
  }

  @Test("whatever a power loss leaves of a server's disk has what the server acknowledged")
  func losses() async throws {
    let seed = Seed.make("PowerLossTests")
    var random = SplitMix64(seed: seed)
    let life = try await live(&random)
    let entries = life.journal.entries
    var ends = (0..<Self.losses).map { _ in random.below(entries.count + 1) }.sorted()
    ends.append(entries.count)
    let disk = SimulatedDisk()
    for end in ends {
      while disk.count < end { disk.apply(entries[disk.count]) }
      let loss = PowerLoss(end: end, random: &random)
      let left = try TemporaryFolder()
      try disk.write(after: loss, to: left.file("data"))
      let moment = "entry \(end) of \(entries.count), \(loss), seed \(seed)"
      do {
        try await check(life, end, left, moment)
      } catch {
        Issue.record("\(moment): \(error)")
        return
      }
    }
  }
}

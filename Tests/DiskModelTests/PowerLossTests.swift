internal import DiskModel
internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A real server whose machine loses its power: what it acknowledged is there when it starts again.
///
/// Its life is recorded once; the power then fails at any of its moments, as often as `TIDINGS_POWER_LOSSES` says.
@Suite(.endsServers, .embeddedOnly) struct PowerLossTests {
  /// Something that was acknowledged.
  private enum Fact {
    /// A record has this number, or a later one.
    case record(String, Int64)
    case deleted(String)
    case asset(TidingsV1.Asset, [UInt8])
    case zone(String)
    case subscription(String)
    /// A notification of the creation of a record.
    case notification(String)
  }

  private struct Life {
    var journal: DiskJournal
    /// With how many entries each was known.
    var facts: [(end: Int, fact: Fact)] = []
    /// The last number that was sent for each record.
    var sent: [String: Int64] = [:]
  }

  private static let losses =
    ProcessInfo.processInfo.environment["TIDINGS_POWER_LOSSES"].flatMap(Int.init) ?? 16

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
    var facts: [(bytes: Int, fact: Fact)] = []
    func note(_ fact: Fact...) { for fact in fact { facts.append((disk.journalBytes, fact)) } }
    try await client.subscribe(.init("all", "Houses", on: [.create]))
    note(.subscription("all"))
    var sent: [String: Int64] = [:]
    for step in 0..<70 {
      switch random.below(10) {
      case 0:
        let name = "z\(step)"
        _ = try await client.zones.modifyRecordZones(
          .init(zonesToSave: [.init(zoneID: .init(zoneName: name))])
        )
        note(.zone(name))
      case 1:
        let content = random.bytes(1 + random.below(60_000))
        let asset = try await client.assets().upload(content)
        note(.asset(asset, content))
      case 2:
        let name = "h\(random.below(12))"
        guard sent[name] != nil else { continue }
        _ = try await client.modify(delete: [.init(name)])
        sent[name] = nil
        note(.deleted(name))
      default:
        let name = "h\(random.below(12))"
        let isNew = sent[name] == nil
        sent[name] = Int64(step)
        let padding = [UInt8](repeating: 7, count: random.below(random.oneIn(3) ? 60_000 : 200))
        try await client.save(
          .init(
            "Houses",
            name,
            ["n": .init(integerLiteral: Int64(step)), "text": .init(.bytesValue(padding))]
          )
        )
        note(.record(name, Int64(step)))
        if isNew { note(.notification(name)) }
      }
    }
    // In order: the end is recorded too.
    try await server.stop()
    var journal = DiskJournal(root: root)
    journal.append(disk.journal)
    var life = Life(journal: journal, sent: sent)
    life.facts = facts.map { (journal.lastMark(before: $0.bytes), $0.fact) }
    return life
  }

  private func check(
    _ life: Life,
    _ end: Int,
    _ root: TemporaryFolder,
    _ moment: String
  ) async throws {
    let server = try await TestServer.start(in: root)
    let client = try await server.client(as: "ada", device: "phone")
    let kept = life.facts.prefix { $0.end <= end }.map(\.fact)
    var records: [String: Int64?] = [:]
    for fact in kept {
      switch fact {
      case .record(let name, let number): records[name] = number
      case .deleted(let name): records[name] = .some(nil)
      default: break
      }
    }
    for (name, number) in records {
      let found = try await client.fetch([.init(name)]).first?.record?.fields["n"]
      guard let number else { continue }
      guard case .int64Value(let stored)? = found?.value else {
        // The next call may have been its deletion.
        let isDeletedNext = life.facts.contains {
          if case .deleted(name) = $0.fact, $0.end > end { true } else { false }
        }
        #expect(isDeletedNext, "\(moment): \(name) is lost")
        continue
      }
      #expect(stored >= number, "\(moment): \(name) has \(stored) in place of \(number)")
    }
    let feed = try await client.feed().notifications.compactMap(\.recordID?.recordName)
    for case .notification(let name) in kept { #expect(feed.contains(name), "\(moment): \(name)") }
    let zones = try await client.zones.fetchRecordZones(.init()).results.compactMap {
      if case .zone(let zone)? = $0.outcome { zone.zoneID?.zoneName } else { nil }
    }
    for fact in kept {
      switch fact {
      case .zone(let name): #expect(zones.contains(name), "\(moment): zone \(name)")
      case .asset(let asset, let content):
        let got = try await client.assets().download(asset)
        #expect(got == content, "\(moment): asset of \(content.count) bytes")
      default: break
      }
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

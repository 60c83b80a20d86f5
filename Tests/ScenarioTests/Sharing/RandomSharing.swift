internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Users who save, move, delete, share, accept, leave and end at random, on a real server.
final class RandomSharing {
  typealias Zone = TidingsV1.ZoneID

  let users = ["ada", "bob", "cy", "di"]
  private(set) var random: SplitMix64
  private(set) var server: TestServer
  private(set) var clients: [String: Client] = [:]
  /// What each user owns, by the private feed.
  private(set) var own: [String: FeedDevice] = [:]
  /// What others share with each user, by the shared feed.
  private(set) var shared: [String: FeedDevice] = [:]
  private var stepCount: Int64 = 0
  /// How often each kind of step did something.
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    server = try await TestServer.startLasting()
    for user in users {
      let client = try await server.client(as: user, device: "\(user)-main")
      clients[user] = client
      own[user] = FeedDevice(client, .private)
      shared[user] = FeedDevice(client, .shared)
    }
  }

  /// What the private feeds reported of all that is owned.
  var owned: [String: [Zone: [String: TidingsV1.Record]]] { own.mapValues(\.zones) }

  func pageLimit() -> UInt32 { random.oneIn(2) ? 0 : UInt32(1 + random.below(6)) }

  /// A new device of a user, which knows nothing.
  func freshDevice(of user: String) throws -> FeedDevice {
    guard let client = clients[user] else { throw WaitingFailure(description: "no \(user)") }
    return FeedDevice(client, .shared)
  }

  // MARK: Steps

  /// Does something at random.
  ///
  /// - Returns: What, for messages.
  func step() async throws -> String {
    stepCount += 1
    let user = random.pick(users)
    let name: String
    let isDone: Bool
    switch random.below(140) {
    case ..<6: (name, isDone) = ("zone", try await saveZone(user))
    case ..<30: (name, isDone) = ("save", try await save(user))
    case ..<45: (name, isDone) = ("saveShared", try await saveShared(user))
    case ..<52: (name, isDone) = ("delete", try await delete(user))
    case ..<58: (name, isDone) = ("deleteShared", try await deleteShared(user))
    case ..<68: (name, isDone) = ("share", try await share(user))
    case ..<76: (name, isDone) = ("change", try await change(user))
    case ..<90: (name, isDone) = ("accept", try await accept(user))
    case ..<94: (name, isDone) = ("leave", try await leave(user))
    case ..<97: (name, isDone) = ("end", try await end(user))
    case ..<98: (name, isDone) = ("deleteZone", try await deleteZone(user))
    case ..<108: (name, isDone) = ("request", try await request(user))
    case ..<116: (name, isDone) = ("administer", try await administer(user))
    case ..<124: (name, isDone) = ("invite", try await invite(user))
    case ..<138: (name, isDone) = ("take", try await take(user))
    default: (name, isDone) = ("restart", try await restart())
    }
    if isDone { counts[name, default: 0] += 1 }
    return "step \(stepCount): \(name) by \(user)\(isDone ? "" : ", refused")"
  }

  private func client(_ user: String) throws -> Client {
    guard let client = clients[user] else { throw WaitingFailure(description: "no \(user)") }
    return client
  }

  private func saveZone(_ user: String) async throws -> Bool {
    let zone = Zone(zoneName: "z\(random.below(2))")
    _ = try await client(user).zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: zone)]))
    return true
  }

  private func modify(
    _ user: String,
    _ scope: TidingsV1.DatabaseScope,
    save: [TidingsV1.Record] = [],
    delete: [TidingsV1.RecordID] = []
  ) async throws -> Bool {
    let results = try await client(user).modify(save, delete: delete, in: .init(scope: scope))
    return results.allSatisfy { $0.error == nil }
  }

  private func pickZone(
    _ zones: [Zone: [String: TidingsV1.Record]]
  ) -> (zone: Zone, records: [String])? {
    let sorted = zones.sorted { $0.key.text < $1.key.text }
    guard !sorted.isEmpty else { return nil }
    let picked = random.pick(sorted)
    return (picked.key, picked.value.filter { $0.value.share == nil }.keys.sorted())
  }

  private func record(
    _ name: String,
    in zone: Zone,
    parent: String?
  ) -> TidingsV1.Record {
    var record = TidingsV1.Record(
      recordID: .init(recordName: name, zoneID: zone),
      recordType: "Item",
      fields: ["value": .init(.int64Value(stepCount))]
    )
    if let parent {
      let id = TidingsV1.RecordID(recordName: parent, zoneID: parent.isEmpty ? nil : zone)
      record.parent = .init(recordID: id, action: .none)
    }
    return record
  }

  private func save(_ user: String) async throws -> Bool {
    guard let (zone, names) = pickZone(own[user]?.zones ?? [:]) else {
      return try await saveZone(user)
    }
    let records = Set((0...random.below(3)).map { _ in "r\(random.below(12))" }).sorted().map {
      let others = names.filter { [name = $0] other in other != name }
      let parent =
        others.isEmpty || random.oneIn(4) ? (random.oneIn(2) ? "" : nil) : random.pick(others)
      return record($0, in: zone, parent: parent)
    }
    return try await modify(user, .private, save: records)
  }

  private func saveShared(_ user: String) async throws -> Bool {
    guard let (zone, names) = pickZone(shared[user]?.zones ?? [:]), !names.isEmpty else {
      return false
    }
    let isNew = random.oneIn(2)
    let name = isNew ? "p\(random.below(20))" : random.pick(names)
    let parent = isNew || random.oneIn(3) ? random.pick(names) : nil
    return try await modify(
      user,
      .shared,
      save: [record(name, in: zone, parent: parent == name ? nil : parent)]
    )
  }

  private func delete(_ user: String) async throws -> Bool {
    guard let (zone, names) = pickZone(own[user]?.zones ?? [:]), !names.isEmpty else {
      return false
    }
    let count = random.oneIn(4) ? names.count : 1 + random.below(3)
    let gone = Set((0..<count).map { _ in random.pick(names) }).sorted()
    return try await modify(
      user,
      .private,
      delete: gone.map { .init(recordName: $0, zoneID: zone) }
    )
  }

  private func deleteShared(_ user: String) async throws -> Bool {
    guard let (zone, names) = pickZone(shared[user]?.zones ?? [:]), !names.isEmpty else {
      return false
    }
    let gone = TidingsV1.RecordID(recordName: random.pick(names), zoneID: zone)
    return try await modify(user, .shared, delete: [gone])
  }

  // MARK: Shares

  private func participants(without owner: String) -> [TidingsV1.Participant] {
    users.filter { $0 != owner }.compactMap { user in
      switch random.below(6) {
      case 0, 1: nil
      case 4: .init(userRecordName: user, permission: .readOnly)
      case 2, 3: .init(userRecordName: user, role: .administrator, permission: .readWrite)
      default: .init(userRecordName: user, permission: .readWrite)
      }
    }
  }

  private func share(_ user: String) async throws -> Bool {
    guard let (zone, names) = pickZone(own[user]?.zones ?? [:]) else { return false }
    let isZoneWide = names.isEmpty || random.oneIn(4)
    var record = TidingsV1.Record(
      recordID: .init(
        recordName: isZoneWide ? Shares.zoneShareName : "share\(stepCount)",
        zoneID: zone
      ),
      recordType: Shares.recordType
    )
    record.share = .init(
      rootRecordName: isZoneWide ? "" : random.pick(names),
      publicPermission: random.oneIn(4) ? .readOnly : .none,
      participants: participants(without: user),
      allowsAccessRequests: random.oneIn(2)
    )
    return try await modify(user, .private, save: [record])
  }

  /// All shares, with their owners, in a fixed order.
  private func allShares(of owner: String? = nil) -> [(owner: String, record: TidingsV1.Record)] {
    let owners = owned.sorted { $0.key < $1.key }.filter { owner == nil || $0.key == owner }
    return owners.flatMap { user, zones in
      zones.sorted { $0.key.text < $1.key.text }.flatMap { _, records in
        records.sorted { $0.key < $1.key }.filter { $0.value.share != nil }.map { (user, $0.value) }
      }
    }
  }

  private func change(_ user: String) async throws -> Bool {
    let shares = allShares(of: user)
    guard !shares.isEmpty else { return false }
    var record = random.pick(shares).record
    record.share?.publicPermission = random.pick([.none, .readOnly, .readWrite])
    if random.oneIn(2) {
      let open = record.share?.participants.filter(\.userRecordName.isEmpty) ?? []
      record.share?.participants = participants(without: user) + open
      record.share?.blockedUserRecordNames = []
    }
    answerRequests(&record)
    return try await modify(user, .private, save: [record])
  }

  /// Allows requests or not, and says no to somebody.
  private func answerRequests(_ record: inout TidingsV1.Record) {
    record.share?.allowsAccessRequests = random.oneIn(2)
    let someone = random.pick(users)
    switch random.below(4) {
    case 0: record.share?.denyAccess(to: [someone])
    case 1: record.share?.block([someone])
    case 2: record.share?.unblock([someone])
    default: break
    }
  }

  /// A share is changed where it is shared: mostly by somebody who administers it.
  private func administer(_ user: String) async throws -> Bool {
    let known = users.flatMap { user in
      (shared[user]?.zones ?? [:]).sorted { $0.key.text < $1.key.text }.flatMap { _, records in
        records.sorted { $0.key < $1.key }.map { (user: user, record: $0.value) }
          .filter { $0.record.share != nil }
      }
    }
    func administers(_ user: String, _ record: TidingsV1.Record) -> Bool {
      record.share?.participants.contains {
        $0.userRecordName == user && $0.role == .administrator
      } ?? false
    }
    let some =
      random.oneIn(4)
      ? known.filter { $0.user == user } : known.filter { administers($0.user, $0.record) }
    guard !some.isEmpty else { return false }
    let picked = random.pick(some)
    let user = picked.user
    var record = picked.record
    let administers = administers(user, record)
    record.share?.publicPermission = random.pick([.none, .readOnly])
    answerRequests(&record)
    let isDone = try await modify(user, .shared, save: [record])
    guard administers || !isDone else {
      throw WaitingFailure(description: "\(user) does not administer what was changed: \(record)")
    }
    return isDone
  }

  private func request(_ user: String) async throws -> Bool {
    let shares = allShares().filter { $0.owner != user }
    let open = shares.filter { share in
      share.record.share?.allowsAccessRequests == true
        && share.record.share?.participants.contains { $0.userRecordName == user } == false
    }
    guard !shares.isEmpty else { return false }
    let share =
      random.pick(open.isEmpty || random.oneIn(3) ? shares : open).record.share ?? .init()
    let error = try await client(user).shares.requestAccess([share.url])[0].error
    guard error == nil || error?.code == .serverRejectedRequest || !share.allowsAccessRequests
    else { throw WaitingFailure(description: "\(user) could not ask: \(error?.message ?? "")") }
    guard error == nil, !share.allowsAccessRequests else { return error == nil }
    throw WaitingFailure(description: "\(user) asked for what takes no requests: \(share)")
  }

  private func invite(_ user: String) async throws -> Bool {
    let shares = allShares(of: user)
    guard !shares.isEmpty else { return false }
    var record = random.pick(shares).record
    record.share?.addInvitation(
      id: "guest\(stepCount)",
      random.oneIn(2) ? .readOnly : .readWrite
    )
    return try await modify(user, .private, save: [record])
  }

  private func take(_ user: String) async throws -> Bool {
    let invitations = allShares().filter { $0.owner != user }.flatMap { share in
      (share.record.share?.participants ?? []).filter { !$0.oneTimeURL.isEmpty }
        .map { (url: $0.oneTimeURL, share: share.record.share ?? .init()) }
    }
    guard !invitations.isEmpty else { return false }
    func isOutside(_ share: TidingsV1.Share) -> Bool {
      !share.blockedUserRecordNames.contains(user)
        && !share.participants.contains { $0.userRecordName == user }
    }
    let takeable = invitations.filter { isOutside($0.share) }
    let (url, share) = random.pick(takeable.isEmpty || random.oneIn(4) ? invitations : takeable)
    let isOutside = isOutside(share)
    do {
      _ = try await client(user).shares.accept(url)
      guard isOutside else {
        throw WaitingFailure(description: "\(user) took what was not for that user: \(share)")
      }
      return true
    } catch let error as ShareError {
      guard case .refused = error, !isOutside else { throw error }
      return false
    }
  }

  private func accept(_ user: String) async throws -> Bool {
    let shares = allShares().filter { $0.owner != user }
    guard !shares.isEmpty else { return false }
    let share = random.pick(shares).record.share ?? .init()
    let mayAccept =
      share.publicPermission.rawValue >= 2
      || share.participants.contains { $0.userRecordName == user && $0.permission.rawValue >= 2 }
    do {
      _ = try await client(user).shares.accept(share.url)
      guard mayAccept else {
        throw WaitingFailure(description: "\(user) accepted what was not for that user: \(share)")
      }
      return true
    } catch ShareError.refused {
      return false
    }
  }

  private func leave(_ user: String) async throws -> Bool {
    let zones = shared[user]?.zones ?? [:]
    let shares = zones.sorted { $0.key.text < $1.key.text }.flatMap { _, records in
      records.sorted { $0.key < $1.key }.map(\.value).filter { $0.share != nil }
        .compactMap(\.recordID)
    }
    guard !shares.isEmpty else { return false }
    try await client(user).shares.leave(random.pick(shares))
    return true
  }

  private func end(_ user: String) async throws -> Bool {
    let shares = allShares(of: user)
    guard !shares.isEmpty, let id = random.pick(shares).record.recordID else { return false }
    try await client(user).shares.end(id)
    return true
  }

  private func deleteZone(_ user: String) async throws -> Bool {
    guard let (zone, _) = pickZone(own[user]?.zones ?? [:]) else { return false }
    _ = try await client(user).zones.modifyRecordZones(
      .init(zoneIDsToDelete: [zone], deletionReason: random.oneIn(2) ? .purged : .deleted)
    )
    return true
  }

  private func restart() async throws -> Bool {
    if random.oneIn(2) { try await server.crash() } else { try await server.stop() }
    server = try await server.restarted()
    return true
  }
}

extension TidingsV1.ZoneID {
  /// For a fixed order.
  fileprivate var text: String { "\(ownerName)/\(zoneName)" }
}

internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto

/// Changes a user's subscriptions and zones while others write.
struct ProofSubscriber {
  let user: String
  var random: SplitMix64

  mutating func run(in world: ProofWorld) async throws {
    // As nobody's device: what it causes is nobody's own.
    let caller = Oracle.Caller(user, "")
    let client = try await world.client(caller)
    let own = Oracle.Database(owner: user)
    try await changeZones(save: Array(ProofWriter.zones.dropFirst()), own, caller, client, world)
    for _ in 0..<4 { try await subscribe(own, caller, client, world) }
    for _ in 0..<3 { try await subscribe(.init(owner: nil), caller, client, world) }
    while !world.isQuiet.value {
      try await world.waitForDeeds(5 + random.below(40))
      let database = Oracle.Database(owner: random.oneIn(3) ? nil : user)
      switch random.below(10) {
      case 0: try await changeZones(delete: ["attic"], own, caller, client, world)
      case 1, 2: try await changeZones(save: ["attic", "cellar"], own, caller, client, world)
      case 3, 4, 5: try await unsubscribe(database, caller, client, world)
      default: try await subscribe(database, caller, client, world)
      }
    }
    await client.close()
  }

  private mutating func subscribe(
    _ database: Oracle.Database,
    _ caller: Oracle.Caller,
    _ client: Client,
    _ world: ProofWorld
  ) async throws {
    let id = "s\(random.below(10))"
    let watch = ProofWatch.random(in: database, using: &random)
    try await world.alone(in: database, by: caller) {
      let results = try await world.insist {
        try await client.subscriptions.modifySubscriptions(
          .init(databaseID: database.id, subscriptionsToSave: [watch.message(id)])
        ).results
      }
      if let saved = results.first?.subscription, let effective = saved.effective {
        return [.subscribed(id, watch, effective: effective)]
      }
      // An equivalent one is there already, or the zone is not.
      let code = results.first?.error?.code
      guard code == .serverRejectedRequest || code == .zoneNotFound else {
        throw WaitingFailure(description: "\(watch): \(results)")
      }
      return []
    }
  }

  private mutating func unsubscribe(
    _ database: Oracle.Database,
    _ caller: Oracle.Caller,
    _ client: Client,
    _ world: ProofWorld
  ) async throws {
    let id = "s\(random.below(10))"
    try await world.alone(in: database, by: caller) {
      let results = try await world.insist {
        try await client.subscriptions.modifySubscriptions(
          .init(databaseID: database.id, subscriptionIDsToDelete: [id])
        ).results
      }
      // What is unknown was never there, or was deleted by a call whose answer was lost.
      guard results.first?.error?.code ?? .unknownItem == .unknownItem else {
        throw WaitingFailure(description: "not unsubscribed: \(results)")
      }
      return [.unsubscribed(id)]
    }
  }

  private func changeZones(
    save: [String] = [],
    delete: [String] = [],
    _ database: Oracle.Database,
    _ caller: Oracle.Caller,
    _ client: Client,
    _ world: ProofWorld
  ) async throws {
    try await world.alone(in: database, by: caller) {
      let results = try await world.insist {
        try await client.zones.modifyRecordZones(
          .init(
            databaseID: database.id,
            zonesToSave: save.map { .init(zoneID: .init(zoneName: $0)) },
            zoneIDsToDelete: delete.map { .init(zoneName: $0) }
          )
        ).results
      }
      guard results.count == save.count + delete.count else {
        throw WaitingFailure(description: "zones: \(results)")
      }
      return save.map { .zoneSaved($0) } + delete.map { .zoneDeleted($0) }
    }
  }
}

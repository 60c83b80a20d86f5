/// One fetching of all that changed: answers in, steps out.
///
/// Each page is reported first; when the program has handled it, the token moves, and the state is reported.
struct FetchRun: Sendable {
  private enum Phase: Sendable {
    case database
    case options
    case zones(CKSyncEngine.FetchChangesOptions)
  }

  let context: CKSyncEngine.FetchChangesContext
  private var phase = Phase.database
  /// Zones whose beginning was reported, but not their end.
  private var open: [CKRecordZone.ID] = []
  /// Whose page was asked for.
  private var asked: CKRecordZone.ID?
  /// Zones that are not tried again in this run.
  private var failed: Set<CKRecordZone.ID> = []
  /// All zones seen since the database's feed was started without a token.
  private var listing: Set<CKRecordZone.ID>?
  private var failure: CKError?

  init(_ context: CKSyncEngine.FetchChangesContext) { self.context = context }

  /// The first steps.
  var beginning: [SyncStep] { [.tell(.willFetchChanges(.init(context: context)))] }

  /// The last steps.
  mutating func ending(_ error: CKError?) -> [SyncStep] {
    defer { open = [] }
    let closing = open.map {
      SyncStep.tell(.didFetchRecordZoneChanges(.init(zoneID: $0, error: error)))
    }
    let end = SyncStep.tell(.didFetchChanges(.init(context: context)))
    return closing + [.tellState, end, .tellState, .end(error ?? failure)]
  }

  /// The next steps, when all others are done.
  mutating func plan(_ progress: SyncProgress) -> [SyncStep] {
    switch phase {
    case .database:
      if progress.databaseToken.isEmpty { listing = listing ?? [] }
      return [.ask(.databaseChanges(after: progress.databaseToken))]
    case .options: return [.ask(.fetchOptions(context))]
    case .zones(let options):
      guard let zone = next(progress.unfetchedZones, options) else { return ending(nil) }
      asked = zone
      let fetch = SyncStep.ask(.zoneChanges(zone, after: progress.zoneTokens[zone] ?? []))
      guard !open.contains(zone) else { return [fetch] }
      open.append(zone)
      return [.tell(.willFetchRecordZoneChanges(.init(zoneID: zone))), fetch]
    }
  }

  private func next(
    _ zones: [CKRecordZone.ID],
    _ options: CKSyncEngine.FetchChangesOptions
  ) -> CKRecordZone.ID? {
    let candidates = zones.filter { options.scope.contains($0) && !failed.contains($0) }
    return options.prioritizedZoneIDs.first { candidates.contains($0) }
      ?? candidates.first { open.contains($0) } ?? candidates.first
  }

  /// The steps that an answer leads to.
  mutating func take(_ answer: SyncAnswer, _ progress: inout SyncProgress) -> [SyncStep] {
    switch answer {
    case .databaseChanges(.success(let page)): return take(page, progress)
    case .databaseChanges(.failure(let error)):
      guard error.code == .changeTokenExpired, !progress.databaseToken.isEmpty else {
        failure = error
        return ending(error)
      }
      return [.apply { $0.databaseToken = [] }]
    case .fetchOptions(let options): phase = .zones(options)
    case .zoneChanges(.success(let page)):
      return asked.map { take(page, of: $0, &progress) } ?? []
    case .zoneChanges(.failure(let error)):
      return asked.map { take(error, of: $0, progress) } ?? []
    default: break
    }
    return []
  }

  private mutating func take(
    _ page: SyncAnswer.DatabasePage,
    _ progress: SyncProgress
  ) -> [SyncStep] {
    var deleted = page.deleted
    listing?.formUnion(page.changed)
    if !page.moreComing {
      phase = .options
      // Restarted: what does not exist any more was deleted meanwhile.
      if let listing {
        let known = Set(progress.zoneTokens.keys).union(progress.unfetchedZones)
        let vanished = known.subtracting(listing).subtracting(deleted.map(\.zoneID))
        deleted += vanished.map { .init(zoneID: $0, reason: .deleted) }
      }
      listing = nil
    }
    let commit = SyncStep.apply { [deleted] progress in
      progress.databaseToken = page.token
      for zone in page.changed { progress.noteChange(in: zone) }
      for zone in deleted.map(\.zoneID) {
        progress.forget(zone)
        progress.noteFetched(zone)
      }
    }
    guard !page.changed.isEmpty || !deleted.isEmpty else {
      return page.token == progress.databaseToken ? [] : [commit]
    }
    let changed = page.changed.map { CKDatabase.DatabaseChange.Modification(zoneID: $0) }
    return [
      .tell(.fetchedDatabaseChanges(.init(modifications: changed, deletions: deleted))), commit,
      .tellState,
    ]
  }

  private mutating func take(
    _ page: SyncAnswer.ZonePage,
    of zone: CKRecordZone.ID,
    _ progress: inout SyncProgress
  ) -> [SyncStep] {
    phase = .options
    var steps: [SyncStep] = []
    let saved = page.saved.filter { !progress.isEcho($0.recordID, tag: $0.recordChangeTag) }
    let deleted = page.deleted.filter { !progress.isEcho($0.recordID, tag: nil) }
    if !saved.isEmpty || !deleted.isEmpty {
      let changes = CKSyncEngine.Event.FetchedRecordZoneChanges(
        modifications: saved.map { .init(record: $0) },
        deletions: deleted
      )
      steps.append(.tell(.fetchedRecordZoneChanges(changes)))
    }
    steps.append(
      .apply { progress in
        progress.zoneTokens[zone] = page.token
        if !page.moreComing { progress.noteFetched(zone) }
      }
    )
    steps.append(.tellState)
    if !page.moreComing { steps += close(zone, nil) }
    return steps
  }

  private mutating func take(
    _ error: CKError,
    of zone: CKRecordZone.ID,
    _ progress: SyncProgress
  ) -> [SyncStep] {
    switch error.code {
    case .changeTokenExpired where progress.zoneTokens[zone]?.isEmpty == false:
      // What was deleted meanwhile is not known: everything is reported again.
      let gone = CKDatabase.DatabaseChange.Deletion(zoneID: zone, reason: .deleted)
      return [
        .tell(.fetchedDatabaseChanges(.init(modifications: [], deletions: [gone]))),
        .apply { $0.forget(zone) }, .tellState,
      ]
    case .zoneNotFound, .userDeletedZone:
      // The database's feed has the reason.
      failed.insert(zone)
      return close(zone, error)
    default:
      failed.insert(zone)
      failure = failure ?? error
      return close(zone, error) + (error.isRetriedBySyncEngine ? ending(error) : [])
    }
  }

  private mutating func close(_ zone: CKRecordZone.ID, _ error: CKError?) -> [SyncStep] {
    open.removeAll { $0 == zone }
    return [.tell(.didFetchRecordZoneChanges(.init(zoneID: zone, error: error)))]
  }
}

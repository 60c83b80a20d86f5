internal import TidingsClient
internal import TidingsFiles
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC

/// Updates a copy of a zone, page by page of the original's change feed.
///
/// Only differences are written, so that copying can be repeated.
struct ZoneCopier {
  /// The source or the destination.
  struct Location {
    let invocation: Invocation
    let session: Session
    let zone: TidingsV1.ZoneID

    var records: TidingsV1.RecordService.Client { .init(session.transport) }
    var assets: AssetTransfer { Verb.assetTransfer(session, invocation) }
  }

  /// The results of the records.
  struct Tally: Equatable {
    var saved = 0
    var deleted = 0
    /// They were already up to date.
    var unchanged = 0
    var failed = 0
  }

  /// Most records that wait for the targets of their references.
  private static let waitingMax = 10_000

  private let source: Location
  private let target: Location
  private let output: Output
  private(set) var tally = Tally()
  private(set) var failures = Results(columns: RecordResults.columns)
  private var waiting: [RecordCopy] = []
  /// The owner of the destination, once known.
  private var owner: String?
  /// Shares that cannot exist in the destination's database.
  private(set) var skippedShareCount = 0
  /// User records of users other than the owner of the copy.
  private(set) var skippedUserRecordCount = 0

  init(from source: Location, to target: Location) {
    self.source = source
    self.target = target
    output = source.invocation.output
  }

  /// No records wait: everything so far is final.
  var isSettled: Bool { waiting.isEmpty }

  /// Copies a page.
  mutating func copy(_ page: TidingsV1.ZoneChanges) async throws {
    var records: [TidingsV1.Record] = []
    for record in page.changedRecords {
      switch record.recordType {
      case Shares.recordType where !copiesShares: skippedShareCount += 1
      case UserRecord.recordType:
        if try await isOwners(record) {
          records.append(record)
        } else {
          skippedUserRecordCount += 1
        }
      default: records.append(record)
      }
    }
    if records.contains(where: { $0.share != nil }) { try await findOwner() }
    let retried = waiting
    waiting = []
    let copies = records.map { RecordCopy(of: $0, in: target.zone, of: owner ?? "") }
    try await save(copies + retried)
    try await delete(page.deletedRecords.compactMap { $0.recordID?.recordName })
    if output.showsProgress {
      let done = tally.saved + tally.unchanged
      output.show(progress: "\(source.zone.shownName): \(counted(done, "record"))")
    }
  }

  /// A share can be saved only by its owner, in a zone of a private database.
  private var copiesShares: Bool {
    source.invocation.settings.scope == .private && target.invocation.settings.scope == .private
      && target.zone.name != ZoneName.defaultZone
  }

  /// A user record can be saved only by that user, in a default zone.
  private mutating func isOwners(_ record: TidingsV1.Record) async throws -> Bool {
    guard target.zone.name == ZoneName.defaultZone else { return false }
    try await findOwner()
    return record.recordID?.recordName == owner
  }

  private mutating func findOwner() async throws {
    guard owner == nil else { return }
    let user = target.invocation.settings.client.user
    guard user.isEmpty else {
      owner = user
      return
    }
    let accounts = TidingsV1.AccountService.Client(target.session.transport)
    owner = try await accounts.fetchUserRecordID(
      .init(container: target.invocation.settings.container),
      options: target.invocation.callOptions
    ).userRecordName
  }

  /// Retries waiting records, as long as some succeed; the rest fail.
  mutating func settle() async throws {
    var before = Int.max
    while !waiting.isEmpty, waiting.count < before {
      before = waiting.count
      let retried = waiting
      waiting = []
      try await save(retried)
    }
    for copy in waiting {
      let error = TidingsV1.ItemError(
        code: .referenceViolation,
        message: "the target of its reference is not in the copy"
      )
      fail(.init(recordID: copy.record.recordID, outcome: .error(error)))
    }
    waiting = []
  }

  private mutating func save(_ copies: [RecordCopy]) async throws {
    var rest = copies[...]
    while !rest.isEmpty {
      let some = Array(rest.prefix(Verb.itemsPerCall))
      rest = rest.dropFirst(Verb.itemsPerCall)
      let ids = some.compactMap(\.record.recordID)
      let stored = try await untilAnswered { [target] in
        try await target.records.fetchRecords(
          .init(databaseID: target.invocation.settings.databaseID, recordIDs: ids),
          options: target.invocation.callOptions
        ).results
      }
      let changes = try zip(some, stored).compactMap { copy, result in
        copy.change(of: try result.storedRecord).map { (copy, $0) }
      }
      tally.unchanged += some.count - changes.count
      try await write(changes)
    }
  }

  private mutating func write(
    _ changes: [(copy: RecordCopy, record: TidingsV1.Record)]
  ) async throws {
    guard !changes.isEmpty else { return }
    let results = try await modify(save: changes.map(\.record))
    var again: [(copy: RecordCopy, record: TidingsV1.Record)] = []
    for (change, result) in zip(changes, results) {
      switch result.outcome {
      case .error(let error) where error.code == .assetNotAvailable:
        for asset in change.copy.assets { try await bring(asset) }
        again.append(change)
      case .error(let error)
      where error.code == .referenceViolation && waiting.count < Self.waitingMax:
        waiting.append(change.copy)
      case .error: fail(result)
      default: tally.saved += 1
      }
    }
    guard !again.isEmpty else { return }
    for (change, result) in zip(again, try await modify(save: again.map(\.record))) {
      switch result.outcome {
      case .error(let error)
      where error.code == .referenceViolation && waiting.count < Self.waitingMax:
        waiting.append(change.copy)
      case .error: fail(result)
      default: tally.saved += 1
      }
    }
  }

  private mutating func delete(_ names: [String]) async throws {
    var rest = names[...]
    while !rest.isEmpty {
      let ids = rest.prefix(Verb.itemsPerCall).map {
        TidingsV1.RecordID(recordName: $0, zoneID: target.zone)
      }
      rest = rest.dropFirst(Verb.itemsPerCall)
      for result in try await modify(delete: ids) {
        if case .error = result.outcome { fail(result) } else { tally.deleted += 1 }
      }
    }
  }

  /// Saves and deletes; a retry after a lost response writes the same again.
  private func modify(
    save: [TidingsV1.Record] = [],
    delete: [TidingsV1.RecordID] = []
  ) async throws -> [TidingsV1.RecordResult] {
    try await untilAnswered {
      try await target.records.modifyRecords(
        .init(
          databaseID: target.invocation.settings.databaseID,
          recordsToSave: save,
          recordIDsToDelete: delete,
          savePolicy: .changedKeys,
          atomic: false
        ),
        options: target.invocation.callOptions
      ).results
    }
  }

  /// Copies an asset to the target, by way of a temporary file.
  private func bring(_ asset: TidingsV1.Asset) async throws {
    let path = RecordDraft.temporaryPath("asset")
    defer { try? Folder.remove(path) }
    try await source.assets.download(asset, to: path)
    _ = try await target.assets.upload(fileAt: path)
  }

  private mutating func fail(_ result: TidingsV1.RecordResult) {
    tally.failed += 1
    RecordResults.add([result], to: &failures, hasFields: false)
  }
}

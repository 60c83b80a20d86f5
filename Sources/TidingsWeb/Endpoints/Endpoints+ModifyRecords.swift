internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let modifyRecords = WebEndpoint(.modifyRecords) { call in
    let (input, style) = (call.input, try call.style())
    let zone = try ZoneDictionary.read(input, in: call.database)
    let common = try DesiredKeys.names(input)
    let inputs = try input.objects("operations")
    let types = try await storedTypes(
      inputs.map { try $0.untypedRecord(in: zone, of: call.database) },
      call
    )
    // The schema says what a value is that says no type; most clients send types.
    let schema =
      try inputs.contains(where: { try $0.hasUntaggedField() })
      ? await call.fetchSchema() : nil
    let shares = try await storedShares(inputs, zone, call)
    var operations: [RecordOperation] = []
    for (operation, type) in zip(inputs, types) {
      operations.append(
        try RecordOperation(
          operation,
          zone: zone,
          storedType: type,
          schema: schema,
          shares: shares,
          desiredKeys: common,
          in: call.database
        )
      )
    }
    let plan = RecordOperationPlan(operations)
    try plan.order.requireOperations()
    let response = try await call.records.modifyRecords(
      .init(
        databaseID: call.database.id,
        recordsToSave: plan.saves,
        recordIDsToDelete: plan.deletions,
        atomic: try input.bool("atomic"),
        savePolicies: plan.policies,
        expectedChangeTags: plan.expectedTags
      ),
      options: call.changeOptions
    )
    let results = try plan.order.ordered(response.results)
    let stored = await storedFields(plan, response, call)
    let others = await othersRecords(operations, results, call)
    var answers: [JSONValue] = []
    answers.reserveCapacity(operations.count)
    for ((operation, result), position) in zip(zip(operations, results), plan.order.positions) {
      switch result.outcome {
      case .record(var record)?:
        record.fields = stored[position] ?? record.fields
        answers.append(
          .object(
            RecordDictionary.json(record, style, keys: operation.desiredKeys, in: call.database)
          )
        )
      case .error(let error)?:
        var (result, failure) = (result, await explained(WebFailure(error), operation, call))
        if let id = result.recordID, let record = others[id] {
          failure = WebFailure(.conflict, "record '\(id.recordName)' exists, and is another user's")
          result.serverRecord = record
        }
        answers.append(conflict(result, failure, style, call))
      default:
        answers.append(.object(RecordDictionary.deleted(result.recordID, in: call.database)))
      }
    }
    var object: JSONObject = ["records": .array(answers)]
    let zones = Set(operations.map(\.zoneID))
    let isAnySaved = results.contains { if case .error? = $0.outcome { false } else { true } }
    if isAnySaved, zones.count == 1, let only = zones.first,
      let token = await call.syncTokens([only])[only]
    {
      object.append("syncToken", .string(token))
    }
    return object
  }

  /// The types of records that are stored; `nil`: none was asked for, or the record is not there.
  private static func storedTypes(
    _ ids: [TidingsV1.RecordID?],
    _ call: WebCall
  ) async throws -> [String?] {
    let wanted = ids.compactMap { $0 }
    guard !wanted.isEmpty else { return ids.map { _ in nil } }
    var results = try await call.records.fetchRecords(
      .init(databaseID: call.database.id, recordIDs: wanted, desiredKeys: .init()),
      options: call.options
    ).results[...]
    return ids.map { id in
      guard id != nil, case .record(let record)? = results.popFirst()?.outcome else { return nil }
      return record.recordType
    }
  }

  /// The records that creations would have replaced, and which their callers may read and not change.
  private static func othersRecords(
    _ operations: [RecordOperation],
    _ results: [TidingsV1.RecordResult],
    _ call: WebCall
  ) async -> [TidingsV1.RecordID: TidingsV1.Record] {
    var ids: [TidingsV1.RecordID] = []
    for (operation, result) in zip(operations, results) {
      guard case .error(let error)? = result.outcome, error.code == .permissionFailure,
        operation.isCreation, let id = result.recordID
      else { continue }
      ids.append(id)
    }
    guard !ids.isEmpty else { return [:] }
    let request = TidingsV1.FetchRecordsRequest(databaseID: call.database.id, recordIDs: ids)
    guard let fetched = try? await call.records.fetchRecords(request, options: call.options) else {
      return [:]
    }
    var records: [TidingsV1.RecordID: TidingsV1.Record] = [:]
    for (id, result) in zip(ids, fetched.results) {
      if case .record(let record)? = result.outcome { records[id] = record }
    }
    return records
  }

  /// Why an operation failed, in the words of CloudKit where the schema or a missing type is the reason.
  private static func explained(
    _ failure: WebFailure,
    _ operation: RecordOperation,
    _ call: WebCall
  ) async -> WebFailure {
    guard failure.detail == "INVALID_ARGUMENTS" else { return failure }
    if let own = operation.failure { return own }
    guard case .save(let record, let policy) = operation.action else { return failure }
    var failure = failure
    let name = record.recordID?.recordName ?? ""
    if record.recordType.isEmpty {
      let isUpdate = policy == .ifServerRecordUnchanged && !record.changeTag.isEmpty
      failure.code = isUpdate ? .notFound : .badRequest
      failure.detail = isUpdate ? "UNKNOWN_ITEM" : failure.detail
      failure.reason =
        isUpdate
        ? "record '\(name)' does not exist"
        : "record '\(name)' is new and has no recordType: say which"
      return failure
    }
    // Saves in development add what the schema does not have.
    if call.database.environment == .production,
      let reason = await call.schemaFailure(
        recordType: record.recordType,
        fields: record.fields.keys.sorted()
      )
    {
      failure.code = reason.code
      failure.reason = "\(reason.reason): \(failure.reason)"
    }
    return failure
  }

  /// The shares that the operations change: what an operation does not name stays as it is.
  private static func storedShares(
    _ operations: [WebInput],
    _ zone: TidingsV1.ZoneID?,
    _ call: WebCall
  ) async throws -> [TidingsV1.RecordID: TidingsV1.Share] {
    var ids: [TidingsV1.RecordID] = []
    for operation in operations {
      guard let record = try operation.object("record"),
        ShareDictionary.isShare(try record.string("recordType") ?? ""),
        try record.string("recordName") != nil
      else { continue }
      ids.append(try RecordDictionary.id(record, in: zone, of: call.database))
    }
    guard !ids.isEmpty else { return [:] }
    let fetched = try await call.records.fetchRecords(
      .init(databaseID: call.database.id, recordIDs: ids),
      options: call.options
    )
    var shares: [TidingsV1.RecordID: TidingsV1.Share] = [:]
    for (id, result) in zip(ids, fetched.results) {
      if case .record(let record)? = result.outcome { shares[id] = record.share }
    }
    return shares
  }

  /// What the records have after their saves.
  ///
  /// It is what was sent; of records that were changed in part, what is stored. If that cannot be fetched, only what
  /// was sent: the records are saved, and this must not look as if they were not.
  private static func storedFields(
    _ plan: RecordOperationPlan,
    _ response: TidingsV1.ModifyRecordsResponse,
    _ call: WebCall
  ) async -> [Int: [String: TidingsV1.FieldValue]] {
    var fields: [Int: [String: TidingsV1.FieldValue]] = [:]
    var partial: [(position: Int, record: TidingsV1.Record)] = []
    for (position, sent) in plan.saves.enumerated() {
      guard case .record(let record)? = response.results[position].outcome else { continue }
      fields[position] = sent.fields.filter { $0.value.value != nil }
      let isNew = record.created?.timestamp == record.modified?.timestamp
      let isWhole = [.replace, .replaceIfUnchanged].contains(plan.policies[position])
      if !isNew, !isWhole { partial.append((position, record)) }
    }
    guard !partial.isEmpty else { return fields }
    let request = TidingsV1.FetchRecordsRequest(
      databaseID: call.database.id,
      recordIDs: partial.map { $0.record.recordID ?? .init() }
    )
    guard let fetched = try? await call.records.fetchRecords(request, options: call.options) else {
      return fields
    }
    for ((position, saved), result) in zip(partial, fetched.results) {
      // Somebody may have changed it since.
      guard case .record(let record)? = result.outcome, record.changeTag == saved.changeTag else {
        continue
      }
      fields[position] = record.fields
    }
    return fields
  }

  /// A failure; of a conflict with the records that are needed to resolve it.
  private static func conflict(
    _ result: TidingsV1.RecordResult,
    _ failure: WebFailure,
    _ style: FieldDictionary.Style,
    _ call: WebCall
  ) -> JSONValue {
    guard var object = call.failure(record: result.recordID, failure).object else { return .null }
    if let record = result.serverRecord {
      object.append(
        "serverRecord",
        .object(RecordDictionary.json(record, style, in: call.database))
      )
    }
    if let record = result.ancestorRecord {
      object.append(
        "ancestorRecord",
        .object(RecordDictionary.json(record, style, in: call.database))
      )
    }
    return .object(object)
  }
}

/// The operations of a request as one call.
struct RecordOperationPlan {
  private(set) var saves: [TidingsV1.Record] = []
  private(set) var policies: [TidingsV1.SavePolicy] = []
  private(set) var deletions: [TidingsV1.RecordID] = []
  private(set) var expectedTags: [String] = []
  private(set) var order = OperationOrder()

  init(_ operations: [RecordOperation]) {
    for operation in operations {
      switch operation.action {
      case .save(let record, let policy):
        order.addSave()
        saves.append(record)
        policies.append(policy)
      case .delete(let id, let tag):
        order.addDeletion()
        deletions.append(id)
        expectedTags.append(tag)
      }
    }
  }
}

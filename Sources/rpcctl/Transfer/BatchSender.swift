internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Makes the calls of an import.
struct BatchSender: Sendable {
  private static let pauseFirst = Duration.milliseconds(250)
  private static let pausesMax = 8

  let transport: any ClientTransport
  let options: CallOptions
  /// The request without records.
  private let head: [UInt8]
  private let writesOver: Bool

  init(
    transport: any ClientTransport,
    options: CallOptions,
    databaseID: TidingsV1.DatabaseID,
    savePolicy: TidingsV1.SavePolicy
  ) {
    self.transport = transport
    self.options = options
    writesOver = savePolicy != .ifServerRecordUnchanged
    head = TidingsV1.ModifyRecordsRequest(
      databaseID: databaseID,
      savePolicy: savePolicy,
      atomic: false
    ).encoded()
  }

  /// Sends a batch, with retries; the idempotency key applies it only once.
  ///
  /// - Throws: If the server cannot be reached for about a minute, or rejects the call for a reason other
  ///   than a record.
  func send(_ batch: ImportBatch, key: String) async throws(RPCError) -> ImportOutcome {
    ImportOutcome(batch: batch, failures: try await failures(batch, key))
  }

  private func failures(
    _ batch: ImportBatch,
    _ key: String
  ) async throws(RPCError) -> [ImportOutcome.Failure] {
    do {
      let answer = try await call(batch, key)
      var failures: [ImportOutcome.Failure] = []
      for refused in try BatchAnswer.failures(answer, count: batch.count) {
        if let error = try await errorOfShare(refused, of: batch, key) {
          failures.append(
            failure(batch, refused.index, .item(error, recordName: refused.recordName))
          )
        }
      }
      return failures
    } catch {
      guard error.isOfContent else { throw error }
      guard batch.count > 1 else { return [failure(batch, 0, .call(error))] }
      // One invalid record fails the call: find it by bisection.
      let middle = batch.count / 2
      let first = try await failures(batch.part(0..<middle), key + "a")
      return first + (try await failures(batch.part(middle..<batch.count), key + "b"))
    }
  }

  /// Saves a share, whose change tag is compared whatever the policy: it overwrites the stored share
  /// by using that one's tag.
  ///
  /// - Returns: The error; `nil`: it was saved.
  private func errorOfShare(
    _ refused: BatchAnswer.Failure,
    of batch: ImportBatch,
    _ key: String
  ) async throws(RPCError) -> TidingsV1.ItemError? {
    guard writesOver, refused.error.code == .serverRecordChanged, !refused.serverChangeTag.isEmpty,
      !batch.isDeletion,
      let request = try? TidingsV1.ModifyRecordsRequest(
        decoding: Array(batch.record(refused.index))
      ),
      var share = request.recordsToSave.first, share.share != nil
    else { return refused.error }
    share.changeTag = refused.serverChangeTag
    var single = ImportBatch(
      number: batch.number,
      endOffset: batch.endOffset,
      endLine: batch.endLine
    )
    single.bytes = TidingsV1.ModifyRecordsRequest(recordsToSave: [share]).encoded()
    single.note(line: batch.lines[refused.index], name: batch.nameHashes[refused.index])
    let answer = try await call(single, key + "s\(refused.index)")
    return try BatchAnswer.failures(answer, count: 1).first?.error
  }

  private func failure(
    _ batch: ImportBatch,
    _ index: Int,
    _ reason: ImportFailure
  ) -> ImportOutcome.Failure {
    .init(
      line: batch.lines[index],
      reason: reason,
      bytes: Array(batch.record(index)),
      nameHash: batch.nameHashes[index]
    )
  }

  private func call(_ batch: ImportBatch, _ key: String) async throws(RPCError) -> [UInt8] {
    var options = options
    options.idempotencyKey = key
    var pause = Self.pauseFirst
    var pauses = 0
    while true {
      do {
        return try await transport.unary(
          TidingsV1.RecordService.Methods.modifyRecords,
          head + batch.bytes,
          options: options
        )
      } catch {
        guard error.mayPass, pauses < Self.pausesMax else { throw error }
      }
      try? await Task.sleep(for: pause)
      if Task.isCancelled { throw RPCError(.cancelled, "the import was cancelled") }
      pause *= 2
      pauses += 1
    }
  }
}

extension RPCError {
  /// An error with a CloudKit code concerns the data that was sent.
  private var isOfItem: Bool {
    details.contains { $0.typeURL.hasSuffix("/" + TidingsV1.ItemError.messageName) }
  }

  /// Other records may succeed.
  fileprivate var isOfContent: Bool {
    code == .invalidArgument || code == .resourceExhausted && isOfItem
  }

  /// The same call may succeed later.
  fileprivate var mayPass: Bool {
    [.unavailable, .deadlineExceeded, .aborted].contains(code)
      || code == .resourceExhausted && !isOfItem
  }
}

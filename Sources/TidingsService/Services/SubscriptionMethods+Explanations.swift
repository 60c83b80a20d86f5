internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension SubscriptionMethods {
  /// Registers ExplainSubscriptions, which reader threads answer in slices.
  func registerExplanations(on loop: LoopContext) {
    typealias Methods = TidingsV1.SubscriptionService.Methods
    reads.registerSliced(Methods.explainSubscriptions, on: loop) {
      ExplanationsAnswering($0, $1)
    }
  }
}

/// Answers ExplainSubscriptions.
///
/// The request is read again in each slice: a record may be large, and there may be many that wait.
/// Unchecked: one thread works on it at a time, and the pool's lock lies between two of them.
private final class ExplanationsAnswering: SlicedAnswer, @unchecked Sendable {
  private let caller: Caller
  private let body: KeptBody
  private let time = Timestamp.now
  private var page = ExplanationPage()

  init(_ caller: Caller, _ body: KeptBody) { (self.caller, self.body) = (caller, body) }

  func advance(_ reader: StoreReader, _ slice: ReadSlice) throws -> [UInt8]? {
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    return try body.withUnsafeBytes { bytes in
      try advance(
        TidingsV1.ExplainSubscriptionsRequest.unpack(bytes.bytes, in: reader.arena)
          .assumingMemoryBound(to: Tidings__V1__ExplainSubscriptionsRequest.self).pointee,
        reader,
        slice
      )
    }
  }

  private func advance(
    _ request: Tidings__V1__ExplainSubscriptionsRequest,
    _ reader: StoreReader,
    _ slice: ReadSlice
  ) throws -> [UInt8]? {
    let ids = try Unpacked.strings(
      request.n_subscription_ids,
      request.subscription_ids,
      "subscription_ids"
    )
    try reader.engine.limits.check(itemCount: ids.count)
    let database: TidingsV1.DatabaseID? = try Unpacked.message(request.database_id)
    let databaseID = try database.model(for: caller)
    let isDone = try reader.engine.advance(
      &page,
      try Self.change(request, in: databaseID, for: caller),
      of: body.count,
      to: ids,
      for: caller,
      in: databaseID,
      at: time,
      until: { reader.isOver(slice) },
      effort: slice.effort
    )
    guard isDone else { return nil }
    return TidingsV1.ExplainSubscriptionsResponse(
      explanations: page.explanations.map(TidingsV1.SubscriptionExplanation.init)
    ).encoded(in: reader.arena)
  }

  private static func change(
    _ request: Tidings__V1__ExplainSubscriptionsRequest,
    in database: DatabaseID,
    for caller: Caller
  ) throws -> ExplainedChange {
    func settled(_ record: Record) throws -> Record {
      let location = try database.location(of: record.recordID.zoneID, for: caller.user)
      var settled = try record.settled(at: location, for: caller.user)
      if database.scope == .shared {
        settled.recordID.zoneID.ownerName = record.recordID.zoneID.ownerName
      }
      return settled
    }
    let new = try request.record_after.map {
      try settled(RecordReader.record($0, "record_after"))
    }
    let old = try request.record_before.map {
      try settled(RecordReader.record($0, "record_before"))
    }
    guard request.is_save != 0 else {
      guard request.record_id == nil else {
        throw ItemError(
          .invalidArguments,
          "record_id names a stored record: set is_save too, or send the record in record_before"
        )
      }
      return .change(old: old, new: new)
    }
    guard old == nil else {
      throw ItemError(
        .invalidArguments,
        "with is_save the record before is the stored one: leave out record_before, or is_save"
      )
    }
    switch (new, request.record_id) {
    case (let new?, nil): return .save(new)
    case (nil, let id?):
      var recordID = try RecordReader.recordID(id, "record_id")
      let owner = recordID.zoneID.ownerName
      recordID.zoneID = try database.location(of: recordID.zoneID, for: caller.user).zone
      if database.scope == .shared { recordID.zoneID.ownerName = owner }
      return .deletion(recordID)
    default:
      throw ItemError(
        .invalidArguments,
        "with is_save send either record_after, the record that is saved, or record_id, the record "
          + "that is deleted"
      )
    }
  }
}

extension TidingsV1.SubscriptionExplanation {
  fileprivate init(_ explanation: SubscriptionExplanation) {
    self.init(
      subscriptionID: explanation.subscriptionID,
      fires: explanation.fires,
      failedTerm: explanation.failedTerm,
      reason: .init(rawValue: explanation.reason?.rawValue ?? 0),
      expectedValue: explanation.expectedValue,
      actualValue: explanation.actualValue,
      message: explanation.message
    )
  }
}

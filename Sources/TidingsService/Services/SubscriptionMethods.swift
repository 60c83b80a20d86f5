internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// SubscriptionService.
struct SubscriptionMethods {
  let engine: Engine
  let reads: ReadDispatch
  let largeDecoding: LargeDecoding

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.SubscriptionService.Methods
    calls.register(
      Methods.modifySubscriptions,
      .write,
      on: loop,
      keeping: .unlessRefused,
      requestBytesMax: .max,
      handler: { [self] in try modifySubscriptions($0) }
    )
    registerFetch(calls, on: loop)
    registerExplanations(on: loop)
  }

  private func modifySubscriptions(_ call: borrowing StoreCall) throws -> Outcome {
    let progress: SubscriptionsProgress
    if let known = call.progress as? SubscriptionsProgress {
      progress = known
    } else {
      guard !call.caller.user.isEmpty else { throw ItemError.noUser }
      let (caller, limits) = (call.caller, engine.limits)
      progress = SubscriptionsProgress(caller, limits)
      guard call.body.count < SubscriptionsProgress.readApartBytesMin else {
        return .postponed(
          Postponement(
            cause: .computing { [progress, largeDecoding] body, _ in
              largeDecoding.withArena { arena in
                body.withUnsafeBytes { progress.read($0, in: arena) }
              }
              return true
            },
            progress: progress
          )
        )
      }
      progress.read(call.body, in: call.arena)
    }
    return try modifyPiece(progress.request(), progress, call)
  }

  /// Saves and deletes for as long as a turn allows.
  private func modifyPiece(
    _ request: SubscriptionsProgress.Request,
    _ progress: SubscriptionsProgress,
    _ call: borrowing StoreCall
  ) throws -> Outcome {
    if !progress.hasWritten, request.items.contains(where: { $0.wanted != nil }) {
      try engine.requireRoomForAnswer(to: call)
    }
    var steps = 0
    var changes = false
    var results = progress.results
    let owner = progress.caller.user
    for item in request.items.dropFirst(results.count) {
      guard steps == 0 || steps + item.steps <= SubscriptionsProgress.stepsPerTurnMax else { break }
      steps += item.steps
      results.append(
        try Self.result(of: item.id) {
          guard let wanted = try item.wanted?.get() else {
            try engine.deleteSubscription(item.id, of: owner, in: request.database)
            changes = true
            return .deleted(true)
          }
          let saved = try engine.saveSubscription(wanted, of: owner, in: request.database)
          changes = changes || saved.isNew
          return .subscription(.init(saved))
        }
      )
    }
    var effects = CallEffects()
    if changes {
      let topic = try engine.controlTopic(
        of: owner,
        container: request.database.container,
        environment: request.database.environment
      )
      effects.announcedTopics.insert(topic)
    }
    let changesAnything = changes || progress.changesAnything
    if results.count < request.items.count {
      return .postponed(
        Postponement(
          cause: .nextTurn(effects),
          progress: SubscriptionsProgress(progress, results, changesAnything: changesAnything)
        )
      )
    }
    // Programs save their subscriptions at each start, mostly those that are there.
    return .answered(
      CallAnswer(
        TidingsV1.ModifySubscriptionsResponse(results: results).encoded(in: call.arena),
        kept: changesAnything ? .whole : .nothing,
        effects: effects
      )
    )
  }

  static func result(
    of id: String,
    _ outcome: () throws -> TidingsV1.SubscriptionResult.Outcome
  ) throws -> TidingsV1.SubscriptionResult {
    do {
      return .init(subscriptionID: id, outcome: try outcome())
    } catch let error as ItemError {
      return .init(subscriptionID: id, outcome: .error(.init(error)))
    } catch let error as RPCError where error.code == .invalidArgument {
      // A value that cannot be read is this item's fault: others of the call may be written already.
      let error = ItemError(.invalidArguments, error.message, cause: error)
      return .init(subscriptionID: id, outcome: .error(.init(error)))
    }
  }
}

/// A call that saves and deletes subscriptions, between the runs of its handler.
///
/// Its items do not depend on each other, so each turn writes some of them. Unchecked: it is on the loop or with a
/// worker, never with both.
private final class SubscriptionsProgress: CallProgress, @unchecked Sendable {
  /// One subscription to save, or to delete.
  struct Item {
    let id: String
    /// `nil`: it is to be deleted.
    let wanted: Result<Subscription, any Error>?
    /// About how long it takes, in microseconds of a release build.
    let steps: Int
  }

  struct Request {
    let database: DatabaseID
    var items: [Item] = []
  }

  /// Calls of so many bytes are read on another thread: predicates take time.
  static let readApartBytesMin = 2_048
  /// What one turn writes, about 3 ms; one subscription in any case.
  static let stepsPerTurnMax = 3_000
  private static let stepsPerItem = 150
  private static let bytesPerStep = 6

  let caller: Caller
  private let limits: Limits
  private var read: Result<Request, any Error>?
  /// Of the pieces that are written.
  let results: [TidingsV1.SubscriptionResult]
  /// These have created or deleted a subscription.
  let changesAnything: Bool

  /// A call of which nothing was done.
  init(_ caller: Caller, _ limits: Limits) {
    (self.caller, self.limits, results) = (caller, limits, [])
    changesAnything = false
  }

  /// A call of which a piece more was done.
  init(
    _ before: SubscriptionsProgress,
    _ results: [TidingsV1.SubscriptionResult],
    changesAnything: Bool
  ) {
    (caller, limits, read) = (before.caller, before.limits, before.read)
    (self.results, self.changesAnything) = (results, changesAnything)
  }

  var hasWritten: Bool { !results.isEmpty }

  func request() throws -> Request {
    guard let read else { preconditionFailure("the request was not read") }
    return try read.get()
  }

  func read(_ body: UnsafeRawBufferPointer, in arena: borrowing Arena) {
    do {
      let request = try TidingsV1.ModifySubscriptionsRequest(decoding: body.bytes, in: arena)
      try limits.check(
        itemCount: request.subscriptionsToSave.count + request.subscriptionIDsToDelete.count
      )
      read = .success(try items(of: request))
    } catch {
      read = .failure(error)
    }
  }

  private func items(of request: TidingsV1.ModifySubscriptionsRequest) throws -> Request {
    let database = try request.databaseID.model(for: caller)
    var result = Request(database: database)
    for subscription in request.subscriptionsToSave {
      let id = subscription.subscriptionID
      let wanted = Result {
        var wanted = try subscription.model(
          "subscription \(Identifier.shown(id))",
          user: caller.user
        )
        wanted.zoneID = try wanted.zoneID.map {
          try database.location(of: $0, for: caller.user).zone
        }
        return wanted
      }
      // Canonical text is made of it more than once, and terms of the index.
      let bytes = (try? wanted.get())?.predicate.canonicalBytes.count ?? 0
      let steps = Self.stepsPerItem + bytes / Self.bytesPerStep
      result.items.append(Item(id: id, wanted: wanted, steps: steps))
    }
    result.items += request.subscriptionIDsToDelete.map {
      Item(id: $0, wanted: nil, steps: Self.stepsPerItem)
    }
    return result
  }
}

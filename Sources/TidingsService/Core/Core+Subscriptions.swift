internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Registers the methods of SubscriptionService that the store answers.
  func registerSubscriptions(on loop: LoopContext) {
    typealias Methods = TidingsV1.SubscriptionService.Methods
    register(Methods.modifySubscriptions, .write, on: loop) { [self] in
      try modifySubscriptions($0)
    }
    registerFetchSubscriptions(on: loop)
  }

  private func modifySubscriptions(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ModifySubscriptionsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let owner = call.caller.user
    guard !owner.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(
      itemCount: request.subscriptionsToSave.count + request.subscriptionIDsToDelete.count
    )
    let database = try request.databaseID.model(for: call.caller)

    var response = TidingsV1.ModifySubscriptionsResponse()
    var changes = false
    for subscription in request.subscriptionsToSave {
      let path = "subscription \(Identifier.shown(subscription.subscriptionID))"
      response.results.append(
        try result(of: subscription.subscriptionID) {
          var wanted = try subscription.model(path)
          wanted.zoneID = try wanted.zoneID.map { try database.place(of: $0, for: owner).zone }
          let saved = try engine.saveSubscription(
            wanted,
            of: owner,
            in: database
          )
          changes = changes || saved.isNew
          return .subscription(.init(saved))
        }
      )
    }
    for id in request.subscriptionIDsToDelete {
      response.results.append(
        try result(of: id) {
          try engine.deleteSubscription(id, of: owner, in: database)
          changes = true
          return .deleted(true)
        }
      )
    }
    if changes {
      try channelsChanged(
        of: owner,
        container: database.container,
        environment: database.environment
      )
    }
    return response.encoded(in: call.arena)
  }

  func result(
    of id: String,
    _ outcome: () throws -> TidingsV1.SubscriptionResult.Outcome
  ) throws -> TidingsV1.SubscriptionResult {
    do {
      return .init(subscriptionID: id, outcome: try outcome())
    } catch let error as ItemError {
      return .init(subscriptionID: id, outcome: .error(.init(error)))
    } catch let error as RPCError where error.code == .invalidArgument {
      // A value that cannot be read is this item's fault: others of the call may be written already.
      let error = ItemError(.invalidArguments, error.message)
      return .init(subscriptionID: id, outcome: .error(.init(error)))
    }
  }
}

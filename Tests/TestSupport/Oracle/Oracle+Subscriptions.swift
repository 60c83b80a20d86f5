public import TidingsProto

/// A subscription whose predicate the oracle understands.
public struct OracleSubscription: Hashable, Sendable {
  public var id: String
  public var kind = TidingsV1.SubscriptionType.query
  public var recordType: String
  public var predicate: OraclePredicate
  public var changes: TidingsV1.Subscription.Changes
  public var isOnce = false
  public var zone: String?
  public var keys: [String] = []
  public var args: [String] = []
  public var collapseKey = ""

  public init(
    id: String,
    recordType: String,
    predicate: OraclePredicate,
    changes: TidingsV1.Subscription.Changes
  ) {
    (self.id, self.recordType) = (id, recordType)
    (self.predicate, self.changes) = (predicate, changes)
  }

  public var message: TidingsV1.Subscription {
    var message = TidingsV1.Subscription(
      id,
      recordType,
      on: changes,
      once: isOnce,
      zone: zone ?? "",
      keys: keys
    )
    message.type = kind
    message.predicate = kind == .query ? predicate.message : nil
    if !args.isEmpty || !collapseKey.isEmpty {
      var info = message.notificationInfo ?? .init()
      info.alertLocalizationArgs = args
      info.titleLocalizationArgs = Array(args.prefix(1))
      info.collapseIDKey = collapseKey
      message.notificationInfo = info
    }
    return message
  }
}

extension Oracle {
  /// What ModifySubscriptions answers for a subscription to save, and does.
  ///
  /// - Parameters:
  ///   - subscription: What the call saves.
  ///   - user: Who calls.
  ///   - database: The database of the call.
  ///   - answer: What the server answered: it may forget a channel that nobody has and that never
  ///     fired, at any time, and numbers it again.
  /// - Returns: The result that the server has to give.
  public mutating func save(
    _ subscription: OracleSubscription,
    of user: String,
    in database: Database,
    answered answer: TidingsV1.SubscriptionResult?
  ) -> TidingsV1.SubscriptionResult {
    func failure(
      _ code: TidingsV1.ErrorCode,
      existing: String = ""
    )
      -> TidingsV1.SubscriptionResult
    {
      .init(
        subscriptionID: subscription.id,
        outcome: .error(.init(code: code, existingSubscriptionID: existing))
      )
    }
    if let zone = subscription.zone, self.zone(zone, in: database) == nil {
      return failure(absence(of: zone, in: database))
    }
    let message = subscription.message
    let definition = Definition(
      database: database,
      kind: subscription.kind,
      recordType: subscription.recordType,
      zone: subscription.zone,
      predicate: subscription.predicate,
      changes: subscription.changes,
      isOnce: subscription.isOnce,
      info: message.notificationInfo
    )
    let existing = active(subscription.id, of: user, in: database)
    if let existing, channels[memberships[existing].channel - 1].definition == definition {
      return result(memberships[existing])
    }
    switch fit(subscription) {
    case .good: break
    case .bad: return failure(.invalidArguments)
    case .doubtful:
      if answer?.error?.code == .invalidArguments { return failure(.invalidArguments) }
    }
    if let known = channels.firstIndex(where: { $0.definition == definition && !$0.isForgotten }),
      isForgettable(known),
      answer?.subscription?.effective?.channelID == String(channels.count + 1)
    {
      channels[known].isForgotten = true
    }
    let channel =
      (channels.firstIndex { $0.definition == definition && !$0.isForgotten }
        ?? {
          channels.append(Channel(definition: definition))
          return channels.count - 1
        }()) + 1
    if let twin = memberships.first(where: {
      $0.user == user && $0.channel == channel && $0.ended == nil
    }) {
      return failure(.serverRejectedRequest, existing: twin.subscriptionID)
    }
    if let existing { end(existing) }
    memberships.append(
      Membership(
        user: user,
        database: database,
        subscriptionID: subscription.id,
        channel: channel,
        since: channels[channel - 1].head
      )
    )
    return result(memberships[memberships.count - 1])
  }

  /// What ModifySubscriptions answers for a subscription to delete, and does.
  public mutating func deleteSubscription(
    _ id: String,
    of user: String,
    in database: Database
  )
    -> TidingsV1.SubscriptionResult
  {
    guard let index = active(id, of: user, in: database) else {
      return .init(subscriptionID: id, outcome: .error(.init(.unknownItem)))
    }
    end(index)
    return .init(subscriptionID: id, outcome: .deleted(true))
  }

  /// What FetchSubscriptions answers for all subscriptions.
  public func fetchSubscriptions(
    of user: String,
    in database: Database
  )
    -> [TidingsV1.SubscriptionResult]
  {
    memberships.filter { $0.user == user && $0.database == database && $0.ended == nil }
      .sorted { $0.subscriptionID < $1.subscriptionID }.map(result)
  }

  private func isForgettable(_ index: Int) -> Bool {
    channels[index].head == 0
      && !memberships.contains { $0.channel == index + 1 && $0.ended == nil }
  }

  private func active(_ id: String, of user: String, in database: Database) -> Int? {
    memberships.firstIndex {
      $0.user == user && $0.database == database && $0.subscriptionID == id && $0.ended == nil
    }
  }

  private mutating func end(_ index: Int) {
    memberships[index].ended = channels[memberships[index].channel - 1].head
  }

  private func result(_ membership: Membership) -> TidingsV1.SubscriptionResult {
    let channel = channels[membership.channel - 1]
    let subscription = TidingsV1.Subscription(
      subscriptionID: membership.subscriptionID,
      type: channel.definition.kind,
      recordType: channel.definition.recordType,
      zoneID: channel.definition.zone.map { .init(zoneName: $0) },
      firesOnRecordCreation: channel.definition.changes.contains(.create),
      firesOnRecordUpdate: channel.definition.changes.contains(.update),
      firesOnRecordDeletion: channel.definition.changes.contains(.delete),
      firesOnce: channel.definition.isOnce,
      notificationInfo: channel.definition.info,
      effective: .init(
        channelID: String(membership.channel),
        sequenceNumber: membership.since
      ),
      firesOnRecordEnter: channel.definition.changes.contains(.enter),
      firesOnRecordLeave: channel.definition.changes.contains(.leave)
    )
    return .init(subscriptionID: membership.subscriptionID, outcome: .subscription(subscription))
  }
}

public import TidingsProto

extension TidingsV1.Record {
  func normalized() -> Self {
    var copy = self
    copy.created?.timestamp = nil
    copy.modified?.timestamp = nil
    return copy
  }
}

extension TidingsV1.ItemError {
  func normalized() -> Self {
    .init(code: code, existingSubscriptionID: existingSubscriptionID)
  }
}

extension TidingsV1.RecordResult {
  /// Without what the oracle cannot know: times, and texts of errors.
  public func normalized() -> Self {
    var copy = self
    copy.serverRecord = serverRecord?.normalized()
    copy.ancestorRecord = ancestorRecord?.normalized()
    switch outcome {
    case .record(let record): copy.outcome = .record(record.normalized())
    case .error(let error): copy.outcome = .error(error.normalized())
    case .deleted, nil: break
    }
    return copy
  }
}

extension TidingsV1.ZoneResult {
  /// Without times, and texts of errors.
  public func normalized() -> Self {
    var copy = self
    switch outcome {
    case .zone(var zone):
      zone.created = nil
      copy.outcome = .zone(zone)
    case .error(let error): copy.outcome = .error(error.normalized())
    case .deleted, nil: break
    }
    return copy
  }
}

extension TidingsV1.SubscriptionResult {
  /// Without the canonical form of the predicate, and texts of errors.
  public func normalized() -> Self {
    var copy = self
    switch outcome {
    case .subscription(var subscription):
      subscription.predicate = nil
      copy.outcome = .subscription(subscription)
    case .error(let error): copy.outcome = .error(error.normalized())
    case .deleted, nil: break
    }
    return copy
  }
}

extension TidingsV1.NotificationResult {
  /// Without texts of errors.
  public func normalized() -> Self {
    guard case .error(let error) = outcome else { return self }
    return .init(notificationID: notificationID, outcome: .error(error.normalized()))
  }
}

extension [TidingsV1.Notification] {
  /// Without times.
  public func normalized() -> Self {
    map { notification in
      var copy = notification
      copy.committed = nil
      return copy
    }
  }
}

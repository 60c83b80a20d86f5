internal import TidingsModel
internal import TidingsSQL

/// Adds targets and shows what became of their deliveries.
final class ModifyTargets {
  /// Deliveries and dead letters that are counted.
  private static let countMax = 1_000

  private let table: TargetTable
  private let targets: TargetDirectory
  private let deliveries: DeliveryTable
  private let dispatch: DeliveryDispatch
  private let contents: DeliveryContents
  private let seal: DeliverySeal
  private let limits: Limits

  init(
    table: TargetTable,
    targets: TargetDirectory,
    deliveries: DeliveryTable,
    dispatch: DeliveryDispatch,
    contents: DeliveryContents,
    seal: DeliverySeal,
    limits: Limits
  ) {
    (self.table, self.targets, self.deliveries) = (table, targets, deliveries)
    (self.dispatch, self.contents, self.seal, self.limits) = (dispatch, contents, seal, limits)
  }

  /// Adds a target to a device, or replaces the address of the one with the same identity.
  ///
  /// - Parameters:
  ///   - identity: What makes two addresses the same.
  ///   - inbox: Whose.
  ///   - device: The device.
  ///   - moment: That of the transaction.
  ///   - address: Makes the address, of the one that it replaces.
  /// - Returns: The target.
  /// - Throws: `ItemError` `limitExceeded`; `SQLError`.
  func add(
    identity: [UInt8],
    to inbox: Inbox,
    device: String,
    at moment: Moment,
    _ address: (_ previous: [UInt8]?) throws -> [UInt8]
  ) throws -> DeliveryTarget {
    let identity = seal.identity(of: identity)
    let known = try targets.targets(of: inbox)
    for entry in known where entry.device == device {
      guard let known = try table.target(entry.id), known.identity == identity else { continue }
      var target = known.target
      let bytes = try address(target.address)
      target.created = moment.timeOfDay
      try table.setAddress(bytes, of: target)
      (target.address, target.failingSince, target.lastError) = (bytes, nil, "")
      return target
    }
    guard known.count < limits.deliveryTargetsPerUserMax else {
      throw ItemError(
        .limitExceeded,
        "user '\(inbox.user)' has \(known.count) delivery targets in container '\(inbox.container)', the most that "
          + "are allowed: remove one"
      )
    }
    let count = try targets.count
    guard count < limits.deliveryTargetsMax else {
      throw ItemError(.limitExceeded, "the server has \(count) delivery targets, the most allowed")
    }
    if count == 0 { try dispatch.skipLog() }
    var target = DeliveryTarget(
      id: LeaseDeliveries.randomNumber(),
      inbox: inbox,
      device: device,
      since: try dispatch.lastEvent(),
      created: moment.timeOfDay
    )
    let bytes = try address(nil)
    try table.insert(target, identity: identity, bytes)
    try targets.insert(target)
    target.address = bytes
    return target
  }

  /// Targets of a user in all containers behind one, by their IDs.
  func targets(
    of user: String,
    after id: Int64,
    limit: Int
  ) throws -> (targets: [DeliveryTarget], moreComing: Bool) {
    let found = try table.ids(of: user, after: id, limit: limit + 1)
    let shown = try found.prefix(limit).compactMap { try table.target($0)?.target }
    return (shown, found.count > limit)
  }

  /// The targets of a user in a container.
  func statuses(of inbox: Inbox) throws -> [DeliveryTargetStatus] {
    try targets.targets(of: inbox).compactMap { entry in
      guard let target = try table.target(entry.id)?.target else { return nil }
      return try status(target)
    }
  }

  /// A target with what waits for it.
  func status(_ target: DeliveryTarget) throws -> DeliveryTargetStatus {
    DeliveryTargetStatus(
      target: target,
      waiting: try deliveries.waitingCount(of: target.id, upTo: Self.countMax),
      deadLetters: try deliveries.deadCount(of: target.id, upTo: Self.countMax)
    )
  }

  /// A target of a user.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  func target(_ text: String, of user: String) throws -> Int64 {
    guard let id = DeliveryTarget.id(text), let entry = try targets.entry(id),
      entry.inbox.user == user
    else {
      throw ItemError(.unknownItem, "there is no delivery target \(Identifier.shown(text))")
    }
    return id
  }

  /// Lets a test wait for a sender.
  ///
  /// - Returns: Its ID.
  /// - Throws: `ItemError` `limitExceeded` when too much waits; `SQLError`.
  func test(_ target: Int64, at moment: Moment) throws -> String {
    let max = limits.deliveriesPerTargetMax
    guard try deliveries.waitingCount(of: target, upTo: max) < max else {
      throw ItemError(.limitExceeded, "\(max) deliveries wait for the target: test it later")
    }
    let id = try deliveries.insert(nil, to: target, at: moment)
    return LeaseDeliveries.deliveryID(
      .init(id: id, target: target, notification: nil, attempts: 0, created: moment.timeOfDay)
    )
  }

  // MARK: Dead letters

  /// Dead letters of some of a user's targets, behind one, by target and age.
  func deadLetters(
    of ids: [Int64],
    after cursor: (target: Int64, number: Int64)?,
    limit: Int
  ) throws -> [DeadLetter] {
    var letters: [DeadLetter] = []
    for id in ids.sorted() where id >= cursor?.target ?? 0 && letters.count < limit {
      guard let target = try table.target(id)?.target else { continue }
      let rows = try deliveries.dead(
        of: id,
        after: id == cursor?.target ? cursor?.number ?? 0 : 0,
        limit: limit - letters.count
      )
      for row in rows {
        let content = try row.notification.flatMap {
          try contents.content(of: $0, for: target.inbox)
        }
        letters.append(
          DeadLetter(
            number: row.id,
            target: target,
            notification: row.notification,
            subscriptionID: content?.subscriptionID ?? "",
            body: content?.body,
            givenUp: row.givenUp ?? row.created,
            attempts: row.attempts,
            reason: row.reason
          )
        )
      }
    }
    return letters
  }

  /// Lets a dead letter of a user wait for a sender again.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  func resend(_ text: String, of user: String, at moment: Moment) throws {
    guard let (id, number) = Self.parts(text),
      try targets.entry(id)?.inbox.user == user,
      let row = try deliveries.row(number), row.target == id, row.givenUp != nil
    else {
      throw ItemError(.unknownItem, "there is no dead letter \(Identifier.shown(text))")
    }
    if let notification = row.notification, let inbox = try targets.entry(id)?.inbox,
      try contents.content(of: notification, for: inbox) == nil
    {
      throw ItemError(
        .unknownItem,
        "the notification of the dead letter \(Identifier.shown(text)) is no longer kept"
      )
    }
    try deliveries.resend(number, at: moment.steady)
  }

  /// The parts of the ID of a dead letter.
  static func parts(_ text: String) -> (target: Int64, number: Int64)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let target = DeliveryTarget.id(String(parts[0])),
      let number = Int64(parts[1]), number > 0
    else { return nil }
    return (target, number)
  }
}

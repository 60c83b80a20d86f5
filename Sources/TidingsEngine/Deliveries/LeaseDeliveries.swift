internal import TidingsModel
internal import TidingsSQL

/// Leases deliveries to senders, and settles them.
final class LeaseDeliveries {
  /// Pieces of the log that one call walks.
  private static let piecesMax = 4
  /// Deliveries that one call removes, or gives up, because there is nothing to send any more.
  private static let removedMax = 256
  private static let errorBytesMax = 500

  private let accounts: AccountDirectory
  private let targetTable: TargetTable
  private let targets: TargetDirectory
  private let table: DeliveryTable
  private let dispatch: DeliveryDispatch
  private let contents: DeliveryContents
  private let limits: Limits

  init(
    accounts: AccountDirectory,
    targetTable: TargetTable,
    targets: TargetDirectory,
    table: DeliveryTable,
    dispatch: DeliveryDispatch,
    contents: DeliveryContents,
    limits: Limits
  ) {
    (self.accounts, self.targetTable, self.targets) = (accounts, targetTable, targets)
    (self.table, self.dispatch, self.contents) = (table, dispatch, contents)
    self.limits = limits
  }

  /// Leases deliveries that are due.
  ///
  /// - Parameters:
  ///   - limit: Most of them.
  ///   - timeout: How long.
  ///   - moment: That of the transaction.
  /// - Returns: What the sender got.
  /// - Throws: `SQLError`; what keys throw that cannot be read.
  func lease(limit: Int, for timeout: Duration, at moment: Moment) throws -> DeliveryPage {
    try targetTable.checkKeys()
    var page = DeliveryPage()
    var bytes = 0
    var (pieces, removed) = (0, 0)
    // The log is walked only as far as there is room for what is found.
    while page.items.count < limit {
      let due = try table.due(at: moment.steady, limit: limit - page.items.count)
      for row in due {
        guard let item = try leased(row, for: timeout, at: moment) else {
          removed += 1
          guard removed < Self.removedMax else {
            page.moreComing = true
            return page
          }
          continue
        }
        page.items.append(item)
        bytes += item.body.count + (item.target.address?.count ?? 0)
        guard bytes < limits.answerBytesMax else {
          page.moreComing = true
          return page
        }
      }
      guard due.isEmpty else { continue }
      guard pieces < Self.piecesMax else {
        page.moreComing = true
        return page
      }
      pieces += 1
      let mayHaveMore = try dispatch.run(at: moment)
      if !mayHaveMore, try table.due(at: moment.steady, limit: 1).isEmpty { break }
    }
    page.moreComing = page.items.count >= limit
    if !page.moreComing { page.nextDue = try table.nextDue(after: moment.steady) }
    return page
  }

  /// Leases a delivery; `nil`: there is nothing to send any more.
  private func leased(
    _ row: DeliveryTable.Row,
    for timeout: Duration,
    at moment: Moment
  ) throws -> LeasedDelivery? {
    guard let target = try targetTable.target(row.target)?.target,
      try accounts.user(target.user)?.isRestricted != true
    else {
      try table.delete(row.id)
      return nil
    }
    guard target.address != nil else {
      try giveUp(
        row,
        "the key that sealed the target is not in the server's key ring: add the target again",
        attempts: row.attempts,
        at: moment.timeOfDay
      )
      return nil
    }
    var content: DeliveryContents.Content?
    if let notification = row.notification {
      content = try contents.content(of: notification, for: target.inbox)
      guard let content, !content.isRead else {
        try table.delete(row.id)
        return nil
      }
    }
    let number = Self.randomNumber()
    try table.lease(row.id, as: number, until: moment.steady.advanced(by: timeout))
    return LeasedDelivery(
      leaseID: "\(row.id)-\(number)",
      deliveryID: Self.deliveryID(row),
      target: target,
      notification: row.notification,
      subscriptionID: content?.subscriptionID ?? "",
      body: content?.body ?? [],
      attempts: row.attempts,
      created: row.created
    )
  }

  /// Settles a lease.
  ///
  /// - Returns: `false`: it has ended.
  /// - Throws: `ItemError` `invalidArguments`; `SQLError`.
  func settle(
    _ lease: String,
    as outcome: DeliveryOutcome,
    error: String,
    at moment: Moment
  ) throws -> Bool {
    let parts = lease.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let id = parts[0], let number = parts[1], number > 0 else {
      throw ItemError(
        .invalidArguments,
        "\(Identifier.shown(lease)) is not a lease id: they come from LeaseDeliveries"
      )
    }
    guard let row = try table.leased(id, as: number) else { return false }
    let error = Self.cut(error)
    switch outcome {
    case .sent:
      try table.delete(id)
      if try targetTable.target(row.target)?.target.failingSince != nil {
        try targetTable.setFailure(nil, "", of: row.target)
      }
    case .postponed(let pause):
      try table.postpone(
        id,
        until: moment.steady.advanced(by: pause),
        attempts: row.attempts
      )
    case .retry(let pause):
      try noteFailure(error, of: row.target, at: moment.timeOfDay)
      try table.postpone(
        id,
        until: moment.steady.advanced(by: pause),
        attempts: row.attempts + 1
      )
    case .givenUp:
      try noteFailure(error, of: row.target, at: moment.timeOfDay)
      try giveUp(row, error, attempts: row.attempts + 1, at: moment.timeOfDay)
    case .targetGone(let added):
      if let added, let target = try targetTable.target(row.target)?.target, target.created != added
      {
        // It was added again while it was tried.
        try table.postpone(id, until: moment.steady, attempts: row.attempts)
      } else {
        try remove(row.target)
      }
    }
    return true
  }

  /// Removes a target with all its deliveries.
  func remove(_ target: Int64) throws {
    try table.deleteAll(of: target)
    try targetTable.delete(target)
    try targets.remove(target)
  }

  /// Makes a delivery a dead letter; the oldest goes if there are too many.
  private func giveUp(
    _ row: DeliveryTable.Row,
    _ reason: String,
    attempts: Int64,
    at now: Timestamp
  ) throws {
    let max = limits.deadLettersPerTargetMax
    if try table.deadCount(of: row.target, upTo: max) >= max,
      let oldest = try table.oldestDead(of: row.target)
    {
      try table.delete(oldest)
    }
    try table.giveUp(row.id, reason, attempts: attempts, at: now)
  }

  private func noteFailure(_ error: String, of id: Int64, at now: Timestamp) throws {
    guard let target = try targetTable.target(id)?.target else { return }
    guard target.failingSince == nil || target.lastError != error else { return }
    try targetTable.setFailure(target.failingSince ?? now, error, of: id)
  }

  private static func cut(_ text: String) -> String {
    // PostgreSQL's text has no U+0000.
    var text = String(text.filter { $0 != "\0" })
    while text.utf8.count > errorBytesMax { text.removeLast() }
    return text
  }

  /// A positive number that nobody can guess.
  static func randomNumber() -> Int64 {
    Cryptography.randomBytes(8).reduce(0) { $0 << 8 | Int64($1) } & 0x0fff_ffff_ffff_ffff | 1
  }

  static func deliveryID(_ row: DeliveryTable.Row) -> String {
    let subject = row.notification?.description ?? "test-\(row.id)"
    return "msg_\(subject)_\(DeliveryTarget.text(of: row.target))"
  }
}

internal import TidingsModel
internal import TidingsSQL

/// Ends leases, or makes them last longer.
final class SettleNotifications {
  private let groups: WorkGroupTable
  private let leases: LeaseTable
  private let readMarks: ReadMarkTable

  init(groups: WorkGroupTable, leases: LeaseTable, readMarks: ReadMarkTable) {
    self.groups = groups
    self.leases = leases
    self.readMarks = readMarks
  }

  /// Settles leases of a group.
  ///
  /// - Parameters:
  ///   - texts: The leases' names.
  ///   - group: The group.
  ///   - settlement: What becomes of them.
  ///   - caller: Who had them.
  ///   - moment: That of the transaction.
  /// - Returns: For each, why it failed, or `nil`.
  /// - Throws: `SQLError`.
  func callAsFunction(
    _ texts: [String],
    of group: WorkGroup,
    as settlement: LeaseSettlement,
    for caller: Caller,
    at moment: Moment
  ) throws -> [ItemError?] {
    let inbox = Inbox(
      user: caller.user,
      container: group.container,
      environment: group.environment
    )
    let number = try groups.number(of: group.name, in: inbox)
    return try texts.map { text in
      do {
        guard let lease = LeaseID(text) else {
          throw ItemError(
            .invalidArguments,
            "\(Identifier.shown(text)) is not a lease id: they look like 3-12-345-1 and come from "
              + "LeaseNotifications"
          )
        }
        guard lease.group == number else {
          throw ItemError(.unknownItem, "group '\(group.name)' has no lease '\(lease)'")
        }
        try settle(lease, as: settlement, in: inbox, device: caller.device, at: moment)
        return nil
      } catch let error as ItemError {
        return error
      }
    }
  }

  private func settle(
    _ lease: LeaseID,
    as settlement: LeaseSettlement,
    in inbox: Inbox,
    device: String,
    at moment: Moment
  ) throws {
    let now = moment.timeOfDay
    let row = try currentRow(of: lease)
    guard row.device == device else { throw Self.isAnothers(lease, row.device) }
    switch settlement {
    case .done(let marksRead):
      if !row.isSettled { try leases.settle(lease, at: now) }
      if marksRead { try markRead(lease.notification, in: inbox, device: device, at: now) }
    case .released:
      if row.isSettled { throw isDone(lease) }
      if !row.isReleased { try leases.release(lease) }
    case .extended(let timeout):
      if row.isSettled { throw isDone(lease) }
      if row.isReleased {
        throw ItemError(
          .unknownItem,
          "lease '\(lease)' was released: the notification is delivered again"
        )
      }
      try leases.extend(lease, until: moment.steady.advanced(by: timeout.duration))
    }
  }

  /// The row of a lease, if no later one took its place.
  private func currentRow(of lease: LeaseID) throws -> LeaseTable.Row {
    guard let row = try leases.row(lease.notification, of: lease.group) else {
      throw ItemError(
        .unknownItem,
        "lease '\(lease)' does not exist: its notification is no longer kept"
      )
    }
    guard row.id.number == lease.number else {
      guard row.id.number > lease.number else {
        throw ItemError(.unknownItem, "lease '\(lease)' does not exist")
      }
      let device = row.device.isEmpty ? "another device" : "device '\(row.device)'"
      throw ItemError(
        .unknownItem,
        "lease '\(lease)' ended before it was settled, and \(device) "
          + (row.isSettled ? "has done the work since" : "has the notification now")
          + ": drop what you did, or make it harmless to do twice; extend leases while you work"
      )
    }
    return row
  }

  private static func isAnothers(_ lease: LeaseID, _ device: String) -> ItemError {
    let holder = device.isEmpty ? "a caller without a device" : "device '\(device)'"
    return ItemError(
      .unknownItem,
      "lease '\(lease)' belongs to \(holder), which alone can settle it: lease the notification "
        + "yourself when that one gave it back or let it end"
    )
  }

  private func isDone(_ lease: LeaseID) -> ItemError {
    ItemError(.unknownItem, "lease '\(lease)' was settled as done")
  }

  private func markRead(
    _ id: NotificationID,
    in inbox: Inbox,
    device: String,
    at now: Timestamp
  ) throws {
    do {
      try readMarks.mark(id, in: inbox, by: device, at: now)
    } catch let error as ItemError where error.code == .unknownItem {
      // It is no longer kept: nobody has it unread.
    }
  }
}

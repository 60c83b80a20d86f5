internal import TidingsCodec
public import TidingsModel
internal import TidingsSQL

/// The story of a notification, as far as the store knows it.
public struct NotificationTrace: Sendable {
  /// A device that had it in a page of the log.
  public struct Delivery: Sendable {
    /// The device; empty: it gave no name.
    public let device: String
    /// When.
    public let fetched: Timestamp
  }

  /// A group that shares the work on it.
  public struct Lease: Sendable {
    /// The group's name.
    public let group: String
    /// The device that leased it last.
    public let device: String
    /// When it did.
    public let leased: Timestamp
    /// How often it was leased.
    public let count: Int64
    /// When it was settled as done; `nil`: not yet.
    public let settled: Timestamp?
  }

  /// The notification.
  public let item: NotificationPage.Item
  /// When it was stored.
  public let committed: Timestamp
  /// The user's device that made the change; empty: another user's, or none.
  public let originDevice: String
  /// Who read it first, and when; `nil`: it is unread.
  public let read: (device: String, time: Timestamp)?
  /// The devices that had it, in the order in which they did.
  public let deliveries: [Delivery]
  /// The groups that leased it, by name.
  public let leases: [Lease]
}

/// Finds what the store knows of a notification.
final class NotificationTracer {
  private let memberships: MembershipTable
  private let fetchLog: FetchLog
  private let visibility: NotificationVisibility
  private let codec: BodyCodec
  private let bodies: EventBodies
  private let selectEvent: any SQLStatement
  private let selectMark: any SQLStatement
  private let selectLeases: any SQLStatement

  init(
    _ connection: any SQLConnection,
    fetchLog: FetchLog,
    visibility: NotificationVisibility,
    codec: BodyCodec,
    bodies: EventBodies
  ) throws {
    (self.codec, self.bodies) = (codec, bodies)
    self.fetchLog = fetchLog
    self.visibility = visibility
    memberships = try MembershipTable(connection)
    selectEvent = try connection.prepare(
      """
      SELECT origin_user, origin_device, body, creator, content FROM events
      WHERE channel_id = ?1 AND sequence = ?2
      """
    )
    selectMark = try connection.prepare(
      """
      SELECT device, marked, marked_nanos FROM read_marks
      WHERE owner = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
    selectLeases = try connection.prepare(
      """
      SELECT g.name, l.device, l.leased, l.number, l.settled, l.leased_nanos, l.settled_nanos
      FROM work_groups g JOIN work_leases l ON l.group_id = g.id
      WHERE g.owner = ?1 AND g.container = ?2 AND g.environment = ?3
        AND l.channel_id = ?4 AND l.sequence = ?5
      ORDER BY g.name
      """
    )
  }

  /// The story of a user's notification.
  ///
  /// - Throws: `ItemError` `unknownItem` when the user has no such notification; `SQLError`.
  func trace(_ id: NotificationID, in inbox: Inbox) throws -> NotificationTrace {
    selectEvent.bind(id.channel, at: 1)
    selectEvent.bind(id.sequence, at: 2)
    defer { selectEvent.reset() }
    guard let name = try memberships.subscriptionID(of: id, in: inbox), try selectEvent.step(),
      try visibility.visible(id.channel, to: inbox.user).shows(creator: { selectEvent.string(3) })
    else {
      throw ItemError(
        .unknownItem,
        "notification '\(id)' does not exist: it is not this user's, or no longer kept"
      )
    }
    let origin = selectEvent.string(0) == inbox.user ? selectEvent.string(1) : ""
    let read = try mark(id, inbox)
    // A page that came to it when it was read already had it no more, nor had one of its own device.
    let deliveries = try fetchLog.fetches(of: id, by: inbox.user).filter { fetch in
      (origin.isEmpty || fetch.device != origin) && fetch.time <= read?.time ?? fetch.time
    }
    let body = try bodies.body(
      selectEvent.bytes(2),
      of: id.channel,
      content: selectEvent.int64(4)
    )
    return NotificationTrace(
      item: .init(id: id, subscriptionID: name, body: body),
      committed: try codec.committed(ofEvent: body),
      originDevice: origin,
      read: read,
      deliveries: deliveries.map { .init(device: $0.device, fetched: $0.time) },
      leases: try leases(id, inbox)
    )
  }

  private func mark(
    _ id: NotificationID,
    _ inbox: Inbox
  ) throws(SQLError) -> (device: String, time: Timestamp)? {
    selectMark.bind(inbox.user, at: 1)
    selectMark.bind(id.channel, at: 2)
    selectMark.bind(id.sequence, at: 3)
    defer { selectMark.reset() }
    guard try selectMark.step() else { return nil }
    return (selectMark.string(0), selectMark.time(1, nanos: 2))
  }

  private func leases(_ id: NotificationID, _ inbox: Inbox) throws -> [NotificationTrace.Lease] {
    var leases: [NotificationTrace.Lease] = []
    inbox.bind(to: selectLeases)
    selectLeases.bind(id.channel, at: 4)
    selectLeases.bind(id.sequence, at: 5)
    try selectLeases.forEachRow {
      leases.append(
        .init(
          group: selectLeases.string(0),
          device: selectLeases.string(1),
          leased: selectLeases.time(2, nanos: 5),
          count: selectLeases.int64(3),
          settled: selectLeases.timestamp(4, nanos: 6)
        )
      )
    }
    return leases
  }
}

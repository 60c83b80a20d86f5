/// The log of events as users' devices read it.
struct NotificationsAssembly: RoomAssembly {
  let bodies: EventBodies
  let visibility: NotificationVisibility
  let readMarks: ReadMarkTable
  let badges: BadgeTable
  let fetchLog: FetchLog
  let tracer: NotificationTracer
  private let retention: NotificationRetention

  init(
    _ room: RoomResources,
    catalog: Catalog,
    quotas: QuotasAssembly,
    access: AccessAssembly
  ) throws {
    bodies = try EventBodies(room.connection, codec: room.codec)
    visibility = try NotificationVisibility(
      room.connection,
      codec: room.codec,
      memory: room.limits.memory
    ) {
      [accesses = access.publicAccesses] user, recordType, database in
      try accesses.access(of: user, in: database).rights(on: recordType).readable
    }
    readMarks = try ReadMarkTable(
      room.connection,
      memberships: try MembershipTable(room.connection)
    )
    badges = try BadgeTable(room.connection)
    fetchLog = try FetchLog(
      room.connection,
      devices: quotas.devices,
      usage: quotas.usage,
      quotas: quotas.table
    )
    tracer = try NotificationTracer(
      room.connection,
      fetchLog: fetchLog,
      visibility: visibility,
      codec: room.codec,
      bodies: bodies
    )
    retention = try NotificationRetention(
      room.connection,
      limits: room.limits,
      usage: quotas.usage,
      catalog: catalog
    )
  }

  var participants: [any TransactionParticipant] { [visibility, bodies, readMarks] }
  var tasks: [any MaintenanceTask] { [retention] }
}

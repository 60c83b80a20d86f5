/// What leaves to where no client runs.
struct DeliveriesAssembly: RoomAssembly {
  let targets: TargetDirectory
  let changes: ModifyTargets
  let leasing: LeaseDeliveries
  private let expiry: DeadLetterExpiry

  init(
    _ room: RoomResources,
    keys: @escaping DeliveryKeys,
    access: AccessAssembly,
    notifications: NotificationsAssembly
  ) throws {
    let seal = DeliverySeal(keys, secret: room.secret)
    let targetTable = try TargetTable(room.connection, seal: seal)
    let table = try DeliveryTable(room.connection)
    let memberships = try MembershipTable(room.connection)
    targets = try TargetDirectory(targetTable)
    let dispatch = try DeliveryDispatch(
      room.connection,
      targets: targets,
      table: table,
      memberships: memberships,
      limits: room.limits
    )
    let contents = DeliveryContents(
      visibility: notifications.visibility,
      memberships: memberships,
      events: try WorkEvents(room.connection, bodies: notifications.bodies)
    )
    changes = ModifyTargets(
      table: targetTable,
      targets: targets,
      deliveries: table,
      dispatch: dispatch,
      contents: contents,
      seal: seal,
      limits: room.limits
    )
    leasing = LeaseDeliveries(
      accounts: access.accounts,
      targetTable: targetTable,
      targets: targets,
      table: table,
      dispatch: dispatch,
      contents: contents,
      limits: room.limits
    )
    expiry = DeadLetterExpiry(table)
  }

  var participants: [any TransactionParticipant] { [targets] }
  var tasks: [any MaintenanceTask] { [expiry] }
}

/// Groups of devices that share work.
struct WorkAssembly: RoomAssembly {
  let leasing: LeaseNotifications
  let settling: SettleNotifications

  init(
    _ room: RoomResources,
    channels: ChannelRegistry,
    notifications: NotificationsAssembly
  ) throws {
    let groups = try WorkGroupTable(room.connection)
    let leases = try LeaseTable(room.connection)
    leasing = LeaseNotifications(
      visibility: notifications.visibility,
      channels: channels,
      memberships: try MembershipTable(room.connection),
      groups: groups,
      leases: leases,
      events: try WorkEvents(room.connection, bodies: notifications.bodies),
      limits: room.limits,
      pace: room.pace
    )
    settling = SettleNotifications(
      groups: groups,
      leases: leases,
      readMarks: notifications.readMarks
    )
  }
}

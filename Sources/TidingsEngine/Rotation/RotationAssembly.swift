/// New topics when rights change.
struct RotationAssembly: RoomAssembly {
  let users: UserRotation
  let readers: ReaderChannels
  private let keyExpiry: KeyExpiry

  init(
    _ room: RoomResources,
    catalog: Catalog,
    access: AccessAssembly,
    channels: ChannelsAssembly
  ) throws {
    users = try UserRotation(
      room.connection,
      rotation: channels.rotation,
      controlTopics: channels.controlTopics,
      directory: access.accounts,
      wakeUp: room.wakeUp
    )
    readers = try ReaderChannels(
      room.connection,
      catalog: catalog,
      channels: channels.registry,
      subscriptions: channels.subscriptions,
      accesses: access.publicAccesses,
      rotation: channels.rotation,
      codec: room.codec,
      wakeUp: room.wakeUp
    )
    keyExpiry = try KeyExpiry(room.connection, rotation: users)
  }

  var participants: [any TransactionParticipant] { [users, users.notices, keyExpiry, readers] }
  var tasks: [any MaintenanceTask] { [readers, keyExpiry, users] }
}

internal import TidingsMemory

/// Channels, their subscribers and their topics.
struct ChannelsAssembly: RoomAssembly {
  let registry: ChannelRegistry
  let subscriptions: SubscriptionTable
  let once: OnceChannels
  let rotation: ChannelRotation
  let controlTopics: ControlTopics

  init(
    _ room: RoomResources,
    catalog: Catalog,
    usage: UsageTable,
    accounts: AccountDirectory
  ) throws {
    registry = try ChannelRegistry(
      room.connection,
      catalog: catalog,
      codec: room.codec,
      pace: room.pace,
      memory: room.limits.memory
    )
    subscriptions = try SubscriptionTable(room.connection, usage: usage)
    once = try OnceChannels(room.connection, wakeUp: room.wakeUp)
    rotation = try ChannelRotation(room.connection, channels: registry)
    controlTopics = try ControlTopics(room.connection, secret: room.secret, accounts: accounts)
  }

  var participants: [any TransactionParticipant] { [subscriptions, registry, once] }
  var tasks: [any MaintenanceTask] { [once] }
}

/// Which channels fire, and what is stored of it.
struct EventsAssembly: RoomAssembly {
  let store: EventStore
  let firings: ChannelFirings
  let originTags: OriginTags
  private let shared: SharedFirings

  init(
    _ room: RoomResources,
    catalog: Catalog,
    quotas: QuotasAssembly,
    access: AccessAssembly,
    channels: ChannelsAssembly,
    removal: RemovalAssembly
  ) throws {
    originTags = OriginTags(secret: room.secret)
    shared = try SharedFirings(
      room.connection,
      catalog: catalog,
      channels: channels.registry.watched,
      pace: room.pace
    )
    store = try EventStore(
      room.connection,
      channels: channels.registry,
      removalChannels: removal.channels,
      originTags: originTags,
      codec: room.codec,
      limits: room.limits,
      usage: quotas.usage,
      pace: room.pace
    )
    firings = ChannelFirings(
      events: store,
      channels: channels.registry,
      removals: removal.table,
      removalChannels: removal.channels,
      shared: shared,
      onceChannels: channels.once,
      subscriptions: channels.subscriptions,
      limits: room.limits,
      access: FiringAccess(channels: channels.registry.watched, accesses: access.publicAccesses),
      pace: room.pace
    )
  }

  var participants: [any TransactionParticipant] { [store, shared] }
}

/// The calls that change records, zones and accounts.
struct ModificationsAssembly: RoomAssembly {
  let records: ModifyRecords
  let recordLookup: RecordLookup
  let zones: ModifyZones
  let accounts: ModifyAccounts
  let webTokens: ModifyWebTokens
  private let zoneRemover: ZoneRemover

  /// The rooms that calls write to.
  struct Rooms {
    let catalog: Catalog
    let schema: SchemaAssembly
    let records: RecordsAssembly
    let indexes: IndexesAssembly
    let quotas: QuotasAssembly
    let sharing: SharingAssembly
    let access: AccessAssembly
    let assets: AssetsAssembly
    let channels: ChannelsAssembly
    let removal: RemovalAssembly
    let events: EventsAssembly
    let rotation: RotationAssembly
  }

  init(_ room: RoomResources, _ rooms: Rooms) throws {
    // In the order in which they check and write.
    let followers: [any RecordFollower] = [
      rooms.quotas.usage,
      rooms.records.references,
      rooms.indexes.follower,
      rooms.quotas.clientTokens,
      rooms.assets.table,
      rooms.sharing.table,
    ]
    zoneRemover = ZoneRemover(
      removals: rooms.removal.table,
      removalChannels: rooms.removal.channels,
      records: rooms.records.table,
      channels: rooms.channels.registry.watched,
      events: rooms.events.store,
      firings: rooms.events.firings,
      usage: rooms.quotas.usage,
      followers: followers,
      codec: room.codec,
      wakeUp: room.wakeUp,
      limits: room.limits
    )
    records = ModifyRecords(
      ModifyRecords.Tables(
        catalog: rooms.catalog,
        records: rooms.records.table,
        ancestors: rooms.records.ancestors,
        references: rooms.records.references,
        schemas: rooms.schema.table,
        clientTokens: rooms.quotas.clientTokens,
        channels: rooms.channels.registry.watched,
        firings: rooms.events.firings,
        shares: rooms.sharing.table,
        sharedRecords: rooms.sharing.records,
        assets: rooms.assets.table,
        usage: rooms.quotas.usage,
        quotas: rooms.quotas.table,
        followers: followers,
        zoneRemover: zoneRemover
      ),
      codec: room.codec,
      limits: room.limits,
      pace: room.pace,
      hasAccount: { [accounts = rooms.access.accounts] in try accounts.user($0) != nil }
    )
    recordLookup = RecordLookup(
      catalog: rooms.catalog,
      records: rooms.records.table,
      shares: rooms.sharing.reader,
      codec: room.codec
    )
    zones = ModifyZones(
      catalog: rooms.catalog,
      firings: rooms.events.firings,
      followers: followers,
      remover: zoneRemover,
      usage: rooms.quotas.usage,
      quotas: rooms.quotas.table,
      limits: room.limits,
      pace: room.pace
    )
    accounts = ModifyAccounts(
      try AccountTable(room.connection),
      rooms.access.accounts,
      rooms.quotas.table,
      rooms.rotation.users,
      room.limits
    )
    webTokens = ModifyWebTokens(
      rooms.access.webTokenTable,
      rooms.access.webTokens,
      room.wakeUp,
      room.limits
    )
  }

  var participants: [any TransactionParticipant] { [zoneRemover] }
  var tasks: [any MaintenanceTask] { [zoneRemover] }
}

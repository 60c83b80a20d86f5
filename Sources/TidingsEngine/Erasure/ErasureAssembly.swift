/// Removes all of a user's data, or of a development environment.
struct ErasureAssembly: RoomAssembly {
  let development: DevelopmentReset
  let users: UserEraser

  init(
    _ room: RoomResources,
    _ rooms: ModificationsAssembly.Rooms,
    modifications: ModificationsAssembly,
    subscriptions: ModifySubscriptions,
    eventBodies: EventBodies,
    deliveryTargets: TargetDirectory
  ) throws {
    development = try DevelopmentReset(
      room.connection,
      catalog: rooms.catalog,
      zones: modifications.zones,
      shares: rooms.sharing.table,
      subscriptions: subscriptions,
      firings: rooms.events.firings,
      schemas: rooms.schema.changes,
      readerChannels: rooms.rotation.readers,
      directory: rooms.access.directoryTable,
      wakeUp: room.wakeUp
    )
    users = try UserEraser(
      room.connection,
      secret: room.secret,
      tables: UserEraser.Tables(
        catalog: rooms.catalog,
        zones: modifications.zones,
        shares: rooms.sharing.table,
        subscriptions: subscriptions,
        subscriptionTable: rooms.channels.subscriptions,
        firings: rooms.events.firings,
        eventBodies: eventBodies,
        records: modifications.records,
        indexes: rooms.schema.indexes,
        indexEntries: rooms.indexes.entries,
        ancestors: rooms.records.ancestors,
        usage: rooms.quotas.usage,
        quotas: rooms.quotas.table,
        devices: rooms.quotas.devices,
        accounts: rooms.access.accounts,
        webTokens: rooms.access.webTokens,
        deliveryTargets: deliveryTargets,
        publicAccesses: rooms.access.publicAccesses
      ),
      codec: room.codec,
      wakeUp: room.wakeUp,
      limits: room.limits
    )
  }

  var participants: [any TransactionParticipant] { [development, users] }
  var tasks: [any MaintenanceTask] { [development, users] }
}

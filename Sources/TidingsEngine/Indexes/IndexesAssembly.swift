/// Entries of declared indexes.
struct IndexesAssembly: RoomAssembly {
  let entries: IndexEntries
  let follower: FieldIndex
  let tasks: [any MaintenanceTask]

  init(_ room: RoomResources, registry: IndexRegistry) throws {
    entries = try IndexEntries(room.connection)
    follower = FieldIndex(registry: registry, entries: entries, pace: room.pace)
    tasks = [
      try IndexBuilder(room.connection, registry: registry, entries: entries, codec: room.codec),
      IndexPurge(entries: entries, limits: room.limits),
    ]
  }
}

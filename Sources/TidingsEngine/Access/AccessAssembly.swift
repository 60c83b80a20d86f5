/// Users, and what they may do.
struct AccessAssembly: RoomAssembly {
  let accounts: AccountDirectory
  let publicAccesses: PublicAccesses
  let directory: UserDirectory
  let directoryTable: DirectoryTable

  init(
    _ room: RoomResources,
    catalog: Catalog,
    schemas: SchemaTable,
    admittedKeys: AdmittedKeys
  ) throws {
    accounts = try AccountDirectory(room.connection, admittedKeys: admittedKeys)
    publicAccesses = PublicAccesses(schemas: schemas, accounts: accounts)
    directoryTable = try DirectoryTable(room.connection)
    directory = UserDirectory(
      directoryTable,
      accounts: accounts,
      catalog: catalog,
      limits: room.limits
    )
  }

  var participants: [any TransactionParticipant] { [accounts, publicAccesses] }
}

/// Users, and what they may do.
struct AccessAssembly: RoomAssembly {
  let accounts: AccountDirectory
  let publicAccesses: PublicAccesses
  let directory: UserDirectory
  let directoryTable: DirectoryTable
  let webTokenTable: WebTokenTable
  let webTokens: WebTokenDirectory
  let webCredentials: WebCredentials
  let signIns: SignIns
  private let webTokenExpiry: WebTokenExpiry

  init(
    _ room: RoomResources,
    catalog: Catalog,
    schemas: SchemaTable,
    admittedKeys: AdmittedKeys
  ) throws {
    accounts = try AccountDirectory(room.connection, admittedKeys: admittedKeys)
    publicAccesses = PublicAccesses(
      schemas: schemas,
      accounts: accounts,
      memory: room.limits.memory
    )
    directoryTable = try DirectoryTable(room.connection)
    directory = UserDirectory(
      directoryTable,
      accounts: accounts,
      catalog: catalog,
      limits: room.limits
    )
    webTokenTable = try WebTokenTable(room.connection)
    webTokens = try WebTokenDirectory(webTokenTable)
    webCredentials = WebCredentials(
      directory: webTokens,
      admittedKeys: admittedKeys,
      handles: SessionHandles(secret: room.secret)
    )
    webTokenExpiry = try WebTokenExpiry(room.connection, webTokens)
    signIns = SignIns(room.limits)
  }

  var participants: [any TransactionParticipant] {
    [accounts, publicAccesses, webTokens, webTokenExpiry, signIns]
  }
  var tasks: [any MaintenanceTask] { [webTokenExpiry] }
}

internal import TidingsEngine
internal import TidingsSQLite

/// The files of a store that a backup or check reads.
struct WalkedDatabase: Sendable {
  let path: String
  let assets: AssetFolder
  /// Keeps what was committed in its place meanwhile.
  let checkpointer: Checkpointer
}

/// What a backup or check reads.
struct WalkedStore: Sendable {
  let databasePath: String
  let assets: AssetFolder
  let checkpointer: Checkpointer
  let eraser: SecretEraser
  let incarnation: String

  /// Bytes of pages that are read at once.
  static let runBytes = 128 << 10

  /// The store of a core; `nil`: its database has tools of its own.
  init?(_ core: Core) {
    guard let database = core.store.walked else { return nil }
    databasePath = database.path
    checkpointer = database.checkpointer
    assets = database.assets
    eraser = core.engine.secretEraser
    incarnation = core.engine.incarnation
  }

  /// A connection of its own that only reads.
  func connect() throws -> SQLiteConnection {
    try SQLiteConnection(path: databasePath, cacheBytes: 1 << 20, readsOnly: true)
  }

  /// How many pages are read at once.
  static func runPages(of pages: FrozenPages) -> Int { max(1, runBytes / pages.pageBytes) }
}

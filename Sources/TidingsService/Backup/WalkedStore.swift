internal import TidingsEngine
internal import TidingsSQLite

/// What a backup or check reads.
struct WalkedStore: Sendable {
  let databasePath: String
  let assets: AssetFolder
  let checkpointer: Checkpointer
  let eraser: SecretEraser
  let incarnation: String

  /// Bytes of pages that are read at once.
  static let runBytes = 128 << 10

  init(_ core: Core) {
    databasePath = core.folder.databasePath
    assets = core.assets.folder
    checkpointer = core.store.checkpointer
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

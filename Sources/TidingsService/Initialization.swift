internal import TidingsEngine
internal import TidingsFiles
public import TidingsKeys
internal import TidingsModel
public import TidingsPostgres
internal import TidingsSQL
internal import TidingsSQLite

/// Makes a data folder with a server key and its first administrator.
public struct Initialization: Sendable {
  /// How the administrator proves to be it.
  public enum AdministratorKey: Sendable {
    /// With a new pair, written to this file; `nil`: `NAME.key` in the data folder.
    case new(path: String?)
    /// With a pair that somebody else has the secret part of.
    case known(PublicKey)
  }

  /// What was made.
  public struct Outcome: Sendable {
    /// What clients must know to connect.
    public let serverKey: PublicKey
    /// Where it is written, for those who connect.
    public let serverKeyPath: String
    /// The administrator's key.
    public let administratorKey: PublicKey
    /// The administrator's key file; `nil`: the secret part is elsewhere.
    public let administratorKeyPath: String?
    /// What to know of the data folder; `nil`: nothing.
    public internal(set) var warning: String?
  }

  /// The data folder.
  public var dataPath: String
  /// The database, which gets the administrator; the keys are in the folder.
  public var database = DatabaseSetting.embedded
  /// The administrator's name.
  public var administrator: String
  /// The administrator's key.
  public var key: AdministratorKey

  /// What to make.
  public init(dataPath: String, administrator: String, key: AdministratorKey) {
    self.dataPath = dataPath
    self.administrator = administrator
    self.key = key
  }

  /// Makes it: all or nothing, except the empty data folder.
  ///
  /// A folder that was used in development mode keeps its data. What an earlier run made stays: the
  /// server's key, the administrator's key file, the administrator with that key. So a run that was
  /// cut short at any moment can be repeated, and one that was complete changes nothing.
  ///
  /// - Throws: `StartError` when there is another administrator already, something cannot be written,
  ///   or the folder lost something.
  public func run() throws -> Outcome {
    var written: [String] = []
    do {
      let folder = try DataFolder(path: dataPath)
      let warning = try folder.keepOthersOut(hasKey: true)
      let (engine, noteEnd) = try openEngine(in: folder)
      try engine.begin()
      var outcome = try write(folder, engine, &written)
      outcome.warning = warning
      _ = try engine.commit()
      written = []
      try noteEnd()
      return outcome
    } catch {
      // An administrator whose making has an unknown outcome may be there, and then needs the key.
      if (error as? SQLError)?.kind != .uncertain {
        for path in written { try? Folder.remove(path) }
      }
      if let error = error as? ItemError {
        throw StartError("cannot initialize '\(dataPath)': \(error.message)")
      }
      throw StartError("cannot initialize '\(dataPath)'", error)
    }
  }

  /// - Returns: The engine, and what notes that it was used.
  private func openEngine(in folder: DataFolder) throws -> (Engine, noteEnd: () throws -> Void) {
    switch database {
    case .embedded:
      let store = try StoppedStore(folder.openDatabase(isThorough: false), in: folder)
      return (store.engine, { try store.noteRun(isClean: true) })
    case .postgres(let address):
      let database = try address.open()
      return (try Engine(database.connection, clock: { .now }), {})
    }
  }

  private func write(
    _ folder: DataFolder,
    _ engine: Engine,
    _ written: inout [String]
  ) throws -> Outcome {
    let publicKey: PublicKey
    var path: String?
    switch key {
    case .known(let key):
      publicKey = key
      try makeAdministrator(key, engine)
    case .new(let chosen):
      let keyPath = chosen ?? "\(dataPath)/\(administrator).key"
      let isMissing = try KeyFile.isMissing(keyPath)
      let pair = isMissing ? KeyPair() : try KeyFile.pair(path: keyPath)
      // First, as it may be refused: then nothing is written.
      try makeAdministrator(pair.publicKey, engine)
      if isMissing {
        try KeyFile.pair(pair).write(to: keyPath, title: "\(administrator), administrator")
        written.append(keyPath)
      }
      (publicKey, path) = (pair.publicKey, keyPath)
    }
    let serverKey = try serverKey(folder, &written)
    guard serverKey != publicKey else {
      throw StartError(
        "the administrator's key would be the server's: choose another file with --admin-key, or another "
          + "name for the administrator"
      )
    }
    return Outcome(
      serverKey: serverKey,
      serverKeyPath: folder.serverPublicKeyPath,
      administratorKey: publicKey,
      administratorKeyPath: path
    )
  }

  private func makeAdministrator(_ publicKey: PublicKey, _ engine: Engine) throws {
    if try isAdministrator(publicKey, engine) { return }
    try engine.createAdministrator(administrator, key: KeyRequest(publicKey, label: "rpcd init"))
  }

  /// An earlier run was complete.
  private func isAdministrator(_ publicKey: PublicKey, _ engine: Engine) throws -> Bool {
    guard try engine.isAdministrator(administrator) else { return false }
    return try engine.account(administrator).keys.contains {
      $0.publicKey == publicKey && $0.revoked == nil && $0.expires == nil
    }
  }

  private func serverKey(
    _ folder: DataFolder,
    _ written: inout [String]
  ) throws -> PublicKey {
    let isMissing = try KeyFile.isMissing(folder.serverKeyPath)
    let pair = isMissing ? KeyPair() : try KeyFile.pair(path: folder.serverKeyPath)
    if isMissing {
      try KeyFile.pair(pair).write(to: folder.serverKeyPath, title: "server")
      written.append(folder.serverKeyPath)
    }
    if try folder.publish(pair) { written.append(folder.serverPublicKeyPath) }
    try Folder.synchronize(dataPath)
    return pair.publicKey
  }
}

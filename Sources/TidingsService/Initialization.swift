internal import TidingsEngine
internal import TidingsFiles
public import TidingsKeys
internal import TidingsModel
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
  }

  /// The data folder.
  public var dataPath: String
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
  /// A folder that was used in development mode keeps its data. A server key that is there stays, so
  /// that a run that was interrupted can be repeated, and a store whose administrators were all revoked
  /// gets another.
  ///
  /// - Throws: `StartError` when there is an administrator already, or something cannot be written.
  public func run() throws -> Outcome {
    let folder = try DataFolder(path: dataPath)
    var written: [String] = []
    do {
      let engine = try Engine(
        try folder.openDatabase(isThorough: false),
        codec: ProtoBodyCodec(),
        clock: { .now }
      )
      try engine.begin()
      // The engine may have SQLite's locks as long as it lives, and it goes before the folder.
      let outcome = try write(folder, engine, &written)
      _ = try engine.commit()
      return outcome
    } catch {
      for path in written { try? Folder.remove(path) }
      throw error as? StartError ?? StartError("\(message(of: error))")
    }
  }

  private func message(of error: any Error) -> String {
    (error as? ItemError).map { "cannot initialize '\(dataPath)': \($0.message)" } ?? "\(error)"
  }

  private func write(
    _ folder: DataFolder,
    _ engine: Engine,
    _ written: inout [String]
  ) throws -> Outcome {
    let pair = KeyPair()
    let publicKey = if case .known(let key) = key { key } else { pair.publicKey }
    try engine.createAdministrator(administrator, key: KeyRequest(publicKey, label: "rpcd init"))
    var path: String?
    if case .new(let chosen) = key {
      let keyPath = chosen ?? "\(dataPath)/\(administrator).key"
      try KeyFile.pair(pair).write(to: keyPath, title: "\(administrator), administrator")
      written.append(keyPath)
      path = keyPath
    }
    return Outcome(
      serverKey: try serverKey(folder, &written),
      serverKeyPath: folder.serverPublicKeyPath,
      administratorKey: publicKey,
      administratorKeyPath: path
    )
  }

  private func serverKey(
    _ folder: DataFolder,
    _ written: inout [String]
  ) throws -> PublicKey {
    let pair: KeyPair
    if try Folder.status(folder.serverKeyPath) == nil {
      pair = KeyPair()
      try KeyFile.pair(pair).write(to: folder.serverKeyPath, title: "server")
      written.append(folder.serverKeyPath)
    } else {
      pair = try KeyFile.pair(path: folder.serverKeyPath)
    }
    if try folder.publish(pair) { written.append(folder.serverPublicKeyPath) }
    try Folder.synchronize(dataPath)
    return pair.publicKey
  }
}

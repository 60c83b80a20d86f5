/// Keeps a program's records and a database the same: sends what the program changes, and reports what
/// others changed.
///
/// An engine that syncs by itself waits for changes on the server (a call that the server answers when
/// something changes), so they come at once; what fails is tried again after 30 seconds at the latest,
/// unless the server asks for more. Make one engine for each database, and keep it.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
  /// What an engine is made of.
  public struct Configuration: Sendable, CustomStringConvertible {
    /// Which database: a private or shared one.
    public var database: CKDatabase
    /// The state that was reported last; `nil`: nothing was synced yet.
    public var stateSerialization: State.Serialization?
    /// Receives the events; not retained by the engine.
    public var delegate: any CKSyncEngineDelegate
    /// Syncs by itself; otherwise only when `fetchChanges` or `sendChanges` is called.
    public var automaticallySync = true
    /// Kept for compatibility: the engine needs no subscription.
    public var subscriptionID: CKSubscription.ID?

    /// A configuration.
    public init(
      database: CKDatabase,
      stateSerialization: State.Serialization?,
      delegate: any CKSyncEngineDelegate
    ) {
      self.database = database
      self.stateSerialization = stateSerialization
      self.delegate = delegate
    }

    /// The database, and whether it syncs by itself.
    public var description: String {
      "database: \(database.databaseScope), "
        + (automaticallySync ? "syncs automatically" : "syncs when it is called")
    }
  }

  /// The database.
  public let database: CKDatabase
  /// What is to be sent, and how far it is.
  public let state: State
  private let shell: SyncShell

  /// An engine; it begins at once, if it syncs by itself, and ends when it or its delegate is gone.
  ///
  /// Without a state, it fetches the user immediately, and reports it to the delegate before anything else. Two
  /// engines that a delegate makes for one database before that are one.
  public init(_ configuration: Configuration) {
    database = configuration.database
    let (shell, other) = SyncShell.make(configuration)
    self.shell = shell
    state = State(shell)
    withExtendedLifetime(other) { shell.begin(for: self) }
  }

  deinit { shell.leave() }

  /// Fetches all changes; returns when the delegate has handled them.
  ///
  /// - Throws: `CKError`: why not all could be fetched.
  public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
    try await shell.run(.fetch(options))
  }

  /// Sends what is pending; returns when the delegate has handled what became of it.
  ///
  /// - Throws: `CKError`: why not all could be sent. What the delegate added meanwhile is still pending
  ///   then.
  public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
    try await shell.run(.send(options))
  }

  /// Ends what is under way; what is pending stays so, and those who wait get `operationCancelled`.
  ///
  /// An engine that syncs by itself goes on at the next change, at the latest after 30 seconds.
  public func cancelOperations() async { shell.cancel() }

  /// The database.
  public var description: String { "<CKSyncEngine: \(database.databaseScope)>" }
}

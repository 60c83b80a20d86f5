internal import Synchronization

// Programs make their engine when it is first needed, and in a task that their start leaves behind: then
// two engines of one delegate are there at once, before either has the user, and what the delegate
// adds to the state of one when it does was to be sent by the other. They are one engine.
extension SyncShell {
  private struct Key: Hashable {
    let delegate: ObjectIdentifier
    let link: ObjectIdentifier
    let scope: CKDatabase.Scope
    let isAutomatic: Bool
  }

  private struct Entry {
    weak var shell: SyncShell?
  }

  private static let known = Mutex<[Key: Entry]>([:])

  /// What does an engine's work: that of the delegate's other engine for the same database, if neither
  /// knows of a user yet.
  ///
  /// - Parameter configuration: The engine's.
  /// - Returns: The shell, and the other engine, which is to be kept until `begin` was called.
  static func make(
    _ configuration: CKSyncEngine.Configuration
  ) -> (shell: SyncShell, other: CKSyncEngine?) {
    guard configuration.stateSerialization?.progress.user == nil else {
      return (SyncShell(configuration), nil)
    }
    let key = Key(
      delegate: ObjectIdentifier(configuration.delegate),
      link: ObjectIdentifier(configuration.database.link),
      scope: configuration.database.databaseScope,
      isAutomatic: configuration.automaticallySync
    )
    if let shell = known.withLock({ $0[key]?.shell }),
      let other = shell.join(configuration.delegate)
    {
      return (shell, other)
    }
    let shell = SyncShell(configuration)
    known.withLock { known in
      known = known.filter { $0.value.shell != nil }
      known[key] = Entry(shell: shell)
    }
    return (shell, nil)
  }
}

internal import TidingsClient
internal import TidingsProto

/// Waits at the server for changes in a database.
///
/// It follows the database's feed with calls that the server answers when there are changes. That needs
/// neither a subscription nor a push connection, misses nothing, as the feed is the truth itself, and
/// also shows when the server can be reached again.
struct SyncWatch: Sendable {
  private let database: CKDatabase
  private let token: [UInt8]

  init(_ database: CKDatabase, after token: [UInt8]) {
    self.database = database
    self.token = token
  }

  /// Watches until the task is cancelled or its engine is gone.
  func run(_ shell: @escaping @Sendable () -> SyncShell?) async {
    var token = token
    while !Task.isCancelled, shell() != nil {
      do {
        let feed = try await database.link.client().databaseChanges(
          of: database.databaseID,
          after: token,
          follow: true
        ) { if case .restored = $0 { shell()?.noteReturn() } }
        for try await page in feed {
          token = page.changeToken
          shell()?.notePendingChanges(token)
        }
      } catch ChangeFeedError.changeTokenExpired {
        // The engine finds that out, too. From here on, all changes are new.
        token = []
      } catch {
        // A fetch fails in the same way, and reports it; then a change is looked for from where it got to.
        shell()?.notePendingChanges([])
        try? await Task.sleep(for: SyncSchedule.longestPause)
      }
    }
  }
}

public import Foundation
internal import TidingsProto

/// One of a container's databases.
public final class CKDatabase: NSObject, Sendable {
  /// Whose records a database holds.
  public enum Scope: Int, Sendable {
    /// The application's, read by anyone.
    case `public` = 1
    /// The user's own.
    case `private` = 2
    /// Those that others share with the user.
    case shared = 3

    var wire: TidingsV1.DatabaseScope {
      switch self {
      case .public: .public
      case .private: .private
      case .shared: .shared
      }
    }
  }

  /// Which one it is.
  public let databaseScope: Scope
  let link: ContainerLink
  /// For what is no operation.
  let patience: Patience
  /// Runs the operations that are added without a queue.
  private let operations: OperationQueue

  init(_ link: ContainerLink, _ scope: Scope, _ patience: Patience = Patience(.init())) {
    self.link = link
    self.patience = patience
    databaseScope = scope
    operations = OperationQueue()
    operations.name = "tidings.database"
  }

  var databaseID: TidingsV1.DatabaseID { link.databaseID(databaseScope) }

  /// Runs an operation in this database.
  public func add(_ operation: CKDatabaseOperation) {
    operation.database = self
    operations.addOperation(operation)
  }
}

/// Whose records a database holds, as older code names it.
public typealias CKDatabaseScope = CKDatabase.Scope

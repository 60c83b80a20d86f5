public import Foundation
internal import Synchronization
internal import TidingsProto

/// An application's records: one public database, and a private and a shared one of the user.
public final class CKContainer: NSObject, Sendable {
  let link: ContainerLink

  /// The name of the container.
  public let containerIdentifier: String?
  /// Read by anyone.
  public let publicCloudDatabase: CKDatabase
  /// The user's own.
  public let privateCloudDatabase: CKDatabase
  /// What others share with the user.
  public let sharedCloudDatabase: CKDatabase

  /// Runs the operations that are added without a queue.
  private let operations: OperationQueue
  /// How operations are run that do not say so themselves.
  private let configuration: CKOperation.Configuration?
  /// The group of operations that have none.
  private let group: CKOperationGroup?

  private static let shared = Mutex<[Connection: CKContainer]>([:])

  /// The container that the environment names, the same each time.
  ///
  /// `TIDINGS_ENDPOINT`, `TIDINGS_CONTAINER`, `TIDINGS_USER`, `TIDINGS_DEVICE` and those of
  /// `CKContainer.Connection` say which.
  public static func `default`() -> CKContainer { container(.fromEnvironment) }

  /// The environment's container on another device of the same user.
  public static func `default`(asDevice device: String) -> CKContainer {
    var connection = Connection.fromEnvironment
    connection.device = device
    return container(connection)
  }

  private static func container(_ connection: Connection) -> CKContainer {
    shared.withLock { containers in
      if let container = containers[connection] { return container }
      let container = CKContainer(connection)
      containers[connection] = container
      return container
    }
  }

  /// A container of the environment's server; all with one name share a connection.
  public convenience init(identifier: String) {
    var connection = Connection.fromEnvironment
    connection.container = identifier
    self.init(Self.container(connection).link)
  }

  /// A container with a connection of its own.
  public convenience init(_ connection: Connection) { self.init(ContainerLink(connection)) }

  init(
    _ link: ContainerLink,
    _ configuration: CKOperation.Configuration? = nil,
    _ group: CKOperationGroup? = nil
  ) {
    self.link = link
    self.configuration = configuration
    self.group = group
    let name = link.settings.container
    containerIdentifier = name.isEmpty ? "default" : name
    let patience = Patience(configuration ?? .init())
    publicCloudDatabase = CKDatabase(link, .public, patience)
    privateCloudDatabase = CKDatabase(link, .private, patience)
    sharedCloudDatabase = CKDatabase(link, .shared, patience)
    operations = OperationQueue()
    operations.name = "tidings.container"
  }

  /// Runs an operation in this container; one on databases in the private one, unless it names another.
  public func add(_ operation: CKOperation) {
    if let configuration {
      operation.configuration = operation.configuration.completed(from: configuration)
    }
    if operation.group == nil { operation.group = group }
    if operation.container == nil { operation.container = self }
    operations.addOperation(operation)
  }

  /// The database with a scope.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    switch databaseScope {
    case .public: publicCloudDatabase
    case .private: privateCloudDatabase
    case .shared: sharedCloudDatabase
    }
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Stands for the current user as the name of a user's record.
public let CKCurrentUserRecordName = "__defaultOwner__"

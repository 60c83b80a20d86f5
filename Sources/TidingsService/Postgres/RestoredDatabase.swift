internal import TidingsEngine
internal import TidingsFiles
public import TidingsPostgres
internal import TidingsSQL

/// Gives the store in a PostgreSQL database that was restored to an earlier time a new incarnation and a new secret, so
/// that what clients keep from after that time expires.
public struct RestoredDatabase: Sendable {
  /// What was done.
  public struct Outcome: Hashable, Sendable {
    /// The incarnation that the store had: 16 hexadecimal digits.
    public let oldIncarnation: String
    /// The new one.
    public let incarnation: String
  }

  /// The database.
  public var address: PostgresAddress

  /// A database.
  public init(address: PostgresAddress) { self.address = address }

  /// Does it.
  ///
  /// - Throws: `StartError` when there is no store, it cannot be used, or a server uses it.
  public func run() throws -> Outcome {
    let database = try address.open()
    do {
      guard let label = try StoreLabel(database.connection) else {
        throw StartError("the database \(address) contains no store")
      }
      return Outcome(
        oldIncarnation: label.incarnation.hexadecimal,
        incarnation: try StoreIdentity.renew(database.connection)
      )
    } catch let error as StartError {
      throw error
    } catch {
      throw StartError("cannot renew the identity of the store in \(address): \(error)")
    }
  }
}

internal import TidingsModel
internal import TidingsSQL

/// Which containers have a schema in production, where databases can be made only then.
struct DeployedContainers {
  private let select: any SQLStatement
  /// Those that are known to be: they stay it.
  private var known: Set<String> = []

  init(_ connection: any SQLConnection) throws(SQLError) {
    select = try connection.prepare(
      "SELECT 1 FROM schemas WHERE container = ?1 AND environment = ?2"
    )
  }

  /// Refuses a container that nobody deployed to production.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  mutating func require(_ container: String, _ environment: Environment) throws {
    guard environment == .production, !known.contains(container) else { return }
    select.bind(container, at: 1)
    select.bind(Int64(environment.rawValue), at: 2)
    defer { select.reset() }
    guard try select.step() else { throw ItemError.notDeployed(container) }
    known.insert(container)
  }

  /// They are looked up again.
  mutating func forget() { known = [] }
}

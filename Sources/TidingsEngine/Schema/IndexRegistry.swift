internal import TidingsModel
internal import TidingsSQL

/// The declared indexes, as the loop knows them: what the schema declares is built by `IndexBuilder`
/// and kept by `FieldIndex`.
final class IndexRegistry: TransactionParticipant {
  @exclusivity(unchecked) private var byType: [RecordTypeKey: [DeclaredIndex]] = [:]
  /// Those that `IndexBuilder` has to work on, oldest first.
  private(set) var unfinished: [DeclaredIndex] = []

  private let wakeUp: WakeUpFlag
  private let selectAll: any SQLStatement
  private let insert: any SQLStatement
  private let update: any SQLStatement
  private let delete: any SQLStatement
  private let bumpVersion: any SQLStatement

  /// The registry of a store; it rings when there is an index to build or to remove.
  init(_ connection: any SQLConnection, wakeUp: WakeUpFlag) throws {
    self.wakeUp = wakeUp
    selectAll = try connection.prepare(
      """
      SELECT id, container, environment, record_type, field, kind, state, built_zone, built_name
      FROM field_indexes ORDER BY id
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO field_indexes
        (container, environment, record_type, field, kind, state, built_zone, built_name)
      VALUES (?1, ?2, ?3, ?4, ?5, 1, 0, '') RETURNING id
      """
    )
    update = try connection.prepare(
      "UPDATE field_indexes SET state = ?2, built_zone = ?3, built_name = ?4 WHERE id = ?1"
    )
    delete = try connection.prepare(
      """
      DELETE FROM field_indexes
      WHERE state = 4 AND id < (SELECT max(id) FROM field_indexes)
      """
    )
    bumpVersion = try connection.prepare(
      "UPDATE schemas SET version = version + 1 WHERE container = ?1 AND environment = ?2"
    )
    try reload()
  }

  // MARK: Declaring

  /// Declares an index; one that is declared already stays as it is.
  ///
  /// Existing records are added in the background; queries use the index when it is ready.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - recordType: The record type.
  ///   - field: The field, or a system field under its name in the schema language.
  ///   - kind: What the index finds.
  /// - Throws: `SQLError`.
  func declare(
    container: String,
    environment: Environment,
    recordType: String,
    field: String,
    kind: IndexKind
  ) throws {
    let type = RecordTypeKey(
      container: container,
      environment: environment,
      recordType: recordType
    )
    guard find(type, field, kind) == nil else { return }
    insert.bind(container, at: 1)
    insert.bind(Int64(environment.rawValue), at: 2)
    insert.bind(recordType, at: 3)
    insert.bind(field, at: 4)
    insert.bind(kind.rawValue, at: 5)
    defer { insert.reset() }
    _ = try insert.step()
    let index = DeclaredIndex(
      number: insert.int64(0),
      type: type,
      field: field,
      kind: kind,
      state: .building,
      built: (0, "")
    )
    byType[type, default: []].append(index)
    unfinished.append(index)
    wakeUp.raise()
  }

  /// Drops an index: queries do without it from now on, its entries are removed in the background.
  ///
  /// - Throws: `SQLError`.
  func drop(
    container: String,
    environment: Environment,
    recordType: String,
    field: String,
    kind: IndexKind
  ) throws {
    let type = RecordTypeKey(
      container: container,
      environment: environment,
      recordType: recordType
    )
    guard let index = find(type, field, kind) else { return }
    index.state = .beingRemoved
    try write(index)
    forgetDropped(index)
    if !unfinished.contains(where: { $0 === index }) { unfinished.append(index) }
    wakeUp.raise()
  }

  /// The indexes of a container that are building or ready, by type, field and kind.
  func indexes(of container: String, _ environment: Environment) -> [IndexInfo] {
    byType.lazy
      .filter { $0.key.container == container && $0.key.environment == environment }
      .flatMap(\.value)
      .map {
        IndexInfo(recordType: $0.type.recordType, field: $0.field, kind: $0.kind, state: $0.state)
      }
      .sorted {
        ($0.recordType, $0.field, $0.kind.rawValue) < ($1.recordType, $1.field, $1.kind.rawValue)
      }
  }

  // MARK: For saves

  /// The indexes of a record type, building or ready.
  func indexes(of recordType: String, in database: DatabaseID) -> [DeclaredIndex] {
    if byType.isEmpty { return [] }
    return byType[
      RecordTypeKey(
        container: database.container,
        environment: database.environment,
        recordType: recordType
      )
    ] ?? []
  }

  /// The indexes of a database, building or ready.
  func indexes(in database: DatabaseID) -> [DeclaredIndex] {
    byType.lazy
      .filter {
        $0.key.container == database.container && $0.key.environment == database.environment
      }
      .flatMap(\.value)
  }

  // MARK: For building

  /// Remembers how far building came.
  func moveOn(_ index: DeclaredIndex, to built: (zone: Int64, name: String)) throws(SQLError) {
    index.built = built
    try write(index)
  }

  /// From now on queries use the index.
  func finishBuilding(_ index: DeclaredIndex) throws(SQLError) {
    index.state = .ready
    try write(index)
    unfinished.removeAll { $0 === index }
    bumpVersion.bind(index.type.container, at: 1)
    bumpVersion.bind(Int64(index.type.environment.rawValue), at: 2)
    try bumpVersion.run()
  }

  /// The last entry of a dropped index is removed.
  func finishRemoval(of index: DeclaredIndex) throws(SQLError) {
    index.state = .removed
    try write(index)
    try delete.run()
    unfinished.removeAll { $0 === index }
  }

  func reload() throws {
    byType = [:]
    unfinished = []
    try selectAll.forEachRow {
      guard let environment = Environment(rawValue: Int32(truncatingIfNeeded: selectAll.int64(2))),
        let kind = IndexKind(rawValue: selectAll.int64(5)),
        let state = IndexState(rawValue: selectAll.int64(6))
      else {
        throw SQLError(.damaged, "the index \(selectAll.int64(0)) has no known kind or state")
      }
      let type = RecordTypeKey(
        container: selectAll.string(1),
        environment: environment,
        recordType: selectAll.string(3)
      )
      let index = DeclaredIndex(
        number: selectAll.int64(0),
        type: type,
        field: selectAll.string(4),
        kind: kind,
        state: state,
        built: (selectAll.int64(7), selectAll.string(8))
      )
      if state == .building || state == .ready { byType[type, default: []].append(index) }
      if state == .building || state == .beingRemoved { unfinished.append(index) }
    }
  }

  private func find(
    _ type: RecordTypeKey,
    _ field: String,
    _ kind: IndexKind
  ) -> DeclaredIndex? {
    byType[type]?.first { $0.field == field && $0.kind == kind }
  }

  private func forgetDropped(_ index: DeclaredIndex) {
    byType[index.type]?.removeAll { $0 === index }
    if byType[index.type]?.isEmpty == true { byType[index.type] = nil }
  }

  private func write(_ index: DeclaredIndex) throws(SQLError) {
    update.bind(index.number, at: 1)
    update.bind(index.state.rawValue, at: 2)
    update.bind(index.built.zone, at: 3)
    update.bind(index.built.name, at: 4)
    try update.run()
  }
}

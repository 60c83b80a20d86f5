import BenchCore
import TidingsPostgres
import TidingsSQL

/// The same calls to rpcd on PostgreSQL, against rpcd on its embedded database.
enum PostgresCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    let databases = try BenchDatabases(
      bench.settings.database,
      delay: bench.settings.databaseDelay
    )
    defer { databases.drop() }
    let variants = bench.settings.saves.filter { $0 == .new || $0 == .update || $0 == .fired }
    var servers: [ServerProcess] = []
    defer { for server in servers { server.stop() } }
    func makePair(
      _ name: String,
      records: Int = 0,
      _ calls: CallSequence,
      _ prepare: (ServerProcess) throws -> Void
    ) throws -> Comparison.Pair {
      let embedded = try bench.startServer()
      let postgres = try bench.startServer(database: try databases.make())
      servers += [embedded, postgres]
      for server in [embedded, postgres] { try prepare(server) }
      return Comparison.Pair(
        name: name,
        baseline: .init(server: embedded.address, calls: calls),
        measured: .init(server: postgres.address, calls: calls),
        recordCount: records
      )
    }
    let fetch = try makePair(
      "postgres.fetch",
      CallSequence(Calls.fetch(), .existing(Calls.recordCount), check: .oneRecord)
    ) { try $0.fill(bench.context, count: Calls.recordCount) }
    let saves = try variants.map { variant in
      try makePair("postgres." + variant.name, records: variant.recordCount, variant.calls) {
        try variant.prepare(bench, $0)
      }
    }
    let comparison = try Comparison(bench, "postgres", [fetch] + saves)
    return comparison.figures(fetch.name, .init(ratio: [.many: 0.25]))
      + zip(saves, variants).flatMap { pair, variant in
        comparison.figures(pair.name, targets(variant))
      }
  }

  private static func targets(_ variant: SaveVariant) -> Comparison.Targets {
    switch variant {
    case .new: .init(ratio: [.many: 0.45])
    case .update: .init(ratio: [.many: 0.35])
    case .field, .fieldUpdate, .fired, .indexed: .init()
    }
  }
}

/// Databases of a run on one server, which go with it.
private final class BenchDatabases {
  private let address: String
  private let administrator: PostgresConnection
  private var names: [String] = []
  /// Makes the server as far away as it is to be; `nil`: as it is.
  private var proxy: DelayingProxy?

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: Of a database of the server, with a login that may create others.
  ///   - delay: How much later bytes of connections arrive, either way.
  /// - Throws: `BenchError` if it is not an address, or the server cannot be reached.
  init(_ address: String, delay: Duration) throws {
    self.address = address
    do {
      administrator = PostgresConnection(try PostgresAddress(address))
    } catch {
      throw BenchError("\(DatabaseSetting.variable): \(error)")
    }
    guard delay > .zero else { return }
    let path = try text("SELECT split_part(current_setting('unix_socket_directories'), ',', 1)")
    let port = try text("SELECT current_setting('port')")
    proxy = try DelayingProxy(to: "\(path)/.s.PGSQL.\(port)", delay: delay)
  }

  private func text(_ sql: String) throws -> String {
    let statement = try administrator.prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.string(0) : ""
  }

  /// The address of a new, empty database.
  func make() throws -> String {
    let name = "tidings_bench_\(UInt32.random(in: 0 ... .max))"
    try administrator.execute("CREATE DATABASE \(name) TEMPLATE template0")
    names.append(name)
    if let proxy {
      let user = try text("SELECT CAST(current_user AS TEXT)")
      return "postgresql://\(user)@127.0.0.1:\(proxy.port)/\(name)?sslmode=disable"
    }
    let options = address.drop { $0 != "?" }
    let path = address.prefix { $0 != "?" }.split(
      separator: "/",
      omittingEmptySubsequences: false
    )
    // The scheme, two slashes, and the host come before the name.
    return path.prefix(3).joined(separator: "/") + "/\(name)\(options)"
  }

  func drop() {
    for name in names {
      try? administrator.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }
  }
}

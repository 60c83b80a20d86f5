import BenchCore
import Glibc
import TidingsKeys
import TidingsPostgres
import TidingsProto

/// What the cases run with.
final class Bench {
  let settings: BenchSettings
  let context: RawContext
  private(set) var notes: [String] = []

  init(_ settings: BenchSettings) throws {
    self.settings = settings
    context = try RawContext()
  }

  /// Starts a server on a new data folder.
  ///
  /// - Parameters:
  ///   - limits: `NAME=NUMBER` each, beside the limit of pushes.
  ///   - options: Further ones.
  ///   - database: The address of its database; `nil`: in the folder.
  /// - Returns: The server, which is ready.
  /// - Throws: `BenchError`.
  func startServer(
    limits: [String] = [],
    options: [String] = [],
    database: String? = nil
  ) throws -> ServerProcess {
    try ServerProcess(
      settings,
      in: makeFolder(),
      limits: limits,
      options: options,
      database: database
    )
  }

  /// Starts a server whose callers prove who they are; returns it with what to connect with.
  func startSecureServer() throws -> (server: ServerProcess, keys: ClientKeys) {
    let folder = try makeFolder()
    let data = folder.path + "/data"
    _ = try ChildProcess.output(of: [settings.rpcd, "init", "--data", data])
    let keys = ClientKeys(
      try KeyFile.pair(path: data + "/admin.key"),
      server: try KeyFile(path: data + "/server.pub").publicKey
    )
    return (try ServerProcess(settings, in: folder), keys)
  }

  /// Starts this program as something to compare with.
  func startBare(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess([settings.program] + arguments)
  }

  /// A new folder on the disk that is measured.
  func makeFolder() throws -> RunFolder {
    let folder = try RunFolder(in: settings.data)
    if folder.isInMemory {
      note("The data folder lies in memory: durable saves look faster than a disk lets them be.")
    }
    return folder
  }

  /// Adds a sentence to the report.
  func note(_ sentence: String) {
    if !notes.contains(sentence) { notes.append(sentence) }
  }

  /// Says on standard error what is being done.
  func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// A running rpcd with data of its own.
final class ServerProcess {
  private(set) var address: ServerAddress
  private var process: ChildProcess
  private let arguments: [String]
  private let environment: [String]
  private let folder: RunFolder

  var endpoint: String { address.endpoint }
  var pid: pid_t { process.pid }
  /// The file of its store.
  var databasePath: String { folder.path + "/data/tidings.sqlite" }

  fileprivate init(
    _ settings: BenchSettings,
    in folder: RunFolder,
    limits: [String] = [],
    options: [String] = [],
    database: String? = nil
  ) throws {
    self.folder = folder
    environment = database.map { ["\(DatabaseSetting.variable)=\($0)"] } ?? []
    arguments =
      [
        settings.rpcd, "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data",
        folder.path + "/data", "--log-level", "error",
        // Each save is to have its push.
        "--limit", "pushes-per-second-max=1000000",
      ] + limits.flatMap { ["--limit", $0] } + options
    process = try ChildProcess(arguments, environment)
    address = try process.address()
  }

  /// Stops it and starts it on the same data.
  func restart() throws {
    stopProcess()
    try startProcess()
  }

  /// Stops it; its data stays.
  func stopProcess() { process.stop() }

  /// Starts it again on the same data, and waits until it is ready.
  func startProcess() throws {
    process = try ChildProcess(arguments, environment)
    address = try process.address()
  }

  /// Saves records with the numbers from 0.
  func fill(_ context: RawContext, count: Int, type: String = Calls.recordType) throws {
    let client = try RawClient(context, endpoint: endpoint, metadata: Calls.metadata)
    let numbers = Array(0..<count)
    for start in stride(from: 0, to: count, by: 200) {
      let records = numbers[start..<min(start + 200, count)].map {
        Calls.record(Calls.digits($0), serial: Calls.digits($0), type: type)
      }
      let response = try client.call(
        Methods.modifyRecords,
        Calls.saving(records, updates: false),
        Response.self
      )
      for case .error(let error)? in response.results.map(\.outcome) {
        throw BenchError("filling the server: \(error.message)")
      }
    }
  }

  /// Stops it and removes its data.
  func stop() {
    process.stop()
    folder.remove()
  }
}

private typealias Methods = TidingsV1.RecordService.Methods
private typealias Response = TidingsV1.ModifyRecordsResponse

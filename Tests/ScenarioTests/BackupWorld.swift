internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsSQL
internal import TidingsSQLite

/// A server with records and an asset, and its backups.
struct BackupWorld {
  let server: TestServer
  let client: Client
  /// The content of the asset of the record `photo`.
  let photo: [UInt8]
  let asset: TidingsV1.Asset

  /// Starts it.
  ///
  /// - Parameters:
  ///   - megabytes: How much the records have, about: 1 MiB takes a second at the slowest rate.
  ///   - arguments: Of rpcd, once the records are there.
  /// - Returns: The server, with a client.
  /// - Throws: When it does not start, or refuses something.
  static func make(megabytes: Int = 0, arguments: [String] = []) async throws -> BackupWorld {
    var server = try await TestServer.start()
    var client = try await server.client(as: "ada")
    var random = SplitMix64(seed: 5)
    let photo = random.bytes(300_000)
    let asset = try await client.assets().upload(photo)
    try await client.save(.init("Houses", "photo", ["photo": .init(.assetValue(asset))]))
    for number in 0..<megabytes {
      let text = String(repeating: "\(number)", count: 500_000 / "\(number)".count)
      for half in 0..<2 {
        try await client.save(
          .init("Texts", "t\(number)-\(half)", ["text": .init(.stringValue(text))])
        )
      }
    }
    if !arguments.isEmpty {
      try await server.stop()
      server = try await TestServer.start(in: server.folder, arguments: arguments)
      client = try await server.client(as: "ada")
    }
    return BackupWorld(server: server, client: client, photo: photo, asset: asset)
  }

  /// Where backups go.
  var path: String { server.folder.file("x.backup") }
  var partPath: String { path + ".part" }

  /// Where a server keeps an asset.
  static func filePath(_ asset: TidingsV1.Asset) -> String {
    let name = asset.checksum.hexadecimal
    return "data/assets/\(name.prefix(2))/\(name.dropFirst(2))"
  }

  /// Runs `rpcctl backup`.
  @discardableResult
  func backUp(_ arguments: String...) async -> RpcctlRun {
    await RpcctlRun(server, ["backup", path] + arguments)
  }

  /// Starts `rpcctl backup` as a process of its own, and waits until a part of the backup is there; the rest does
  /// not come before the proxy allows more.
  func startBackup() async throws -> (process: ServerProcess, proxy: StoppingProxy) {
    let proxy = try StoppingProxy(to: server.rpcPort)
    proxy.allow(1 << 20)
    let process = try ServerProcess(
      "rpcctl",
      arguments: ["--endpoint", "tcp://127.0.0.1:\(proxy.port)", "--as", "ada", "backup", path]
    )
    try await waitUntil("a part of the backup", pausing: .milliseconds(2)) {
      if let exit = process.seen.value.exit {
        throw WaitingFailure(description: "rpcctl: \(exit), \(process.seen.value.errors)")
      }
      return try proxy.isStopping && Folder.status(partPath)?.size ?? 0 > 100_000
    }
    return (process, proxy)
  }
}

/// What `rpcd restore` does.
struct RestoreRun {
  let exit: ServerProcess.Exit
  let output: String
  let errors: String

  /// Restores a backup into `data` in a folder.
  init(_ path: String, into folder: TemporaryFolder) async throws {
    let process = try ServerProcess(arguments: ["restore", path, "--data", folder.file("data")])
    exit = try await process.waitForExit()
    output = process.seen.value.output
    errors = process.seen.value.errors
  }
}

/// What is looked at in a store's file.
enum StoreFile {
  /// A value of the table `store`.
  static func value(_ key: String, in folder: TemporaryFolder) throws -> [UInt8] {
    let connection = try SQLiteConnection(path: folder.file("data/tidings.sqlite"), readsOnly: true)
    let statement = try connection.prepare("SELECT value FROM store WHERE key = ?1")
    statement.bind(key, at: 1)
    guard try statement.step() else { return [] }
    return statement.bytes(0)
  }

  /// The rights of all files in a folder that others have.
  static func openToOthers(_ path: String) throws -> [String] {
    let files = FileManager.default
    return try files.subpathsOfDirectory(atPath: path).filter { name in
      let rights = try files.attributesOfItem(atPath: path + "/" + name)[.posixPermissions]
      return (rights as? Int ?? 0o777) & 0o077 != 0
    }
  }
}

#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// Assets whose content is in the tables of a PostgreSQL database.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct PostgresAssetTests {
  private let uri: String

  init() throws { uri = try PostgresCluster.shared().makeDatabaseURI() }

  private func start(
    in folder: TemporaryFolder? = nil,
    _ arguments: [String] = []
  ) async throws -> TestServer {
    try await TestServer.start(
      in: folder,
      arguments: arguments,
      environment: ["RPCD_DATABASE": uri]
    )
  }

  private func number(_ sql: String) throws -> Int64 {
    let select = try PostgresConnection(try PostgresAddress(uri)).prepare("SELECT \(sql)")
    defer { select.reset() }
    return try select.step() ? select.int64(0) : -1
  }

  private func waitForNumber(_ wanted: Int64, _ sql: String) async throws {
    try await waitUntil("\(wanted) = \(sql)", pausing: .milliseconds(50)) {
      try number(sql) == wanted
    }
  }

  private static func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    let block = random.bytes(min(count, 10_007))
    var content: [UInt8] = []
    while content.count < count { content += block.prefix(count - content.count) }
    return content
  }

  private static func asset(_ content: [UInt8]) -> TidingsV1.Asset {
    .init(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  private static func record(_ name: String, _ assets: TidingsV1.Asset...) -> TidingsV1.Record {
    .init("Houses", name, ["photos": .init(.assetListValue(.init(values: assets)))])
  }

  @Test("assets of all sizes are in the database, and a server with another data folder has them")
  func anotherFolder() async throws {
    let sizes = [0, 1, 70_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 17, 50_000_000]
    let contents = sizes.map { Self.content($0, seed: UInt64($0 + 1)) }
    let first = try await start()
    var client = try await first.client(as: "ada")
    for (index, content) in contents.enumerated() {
      let asset = try await client.assets().upload(content)
      #expect(asset == Self.asset(content))
      try await client.save(Self.record("h\(index)", asset))
    }
    #expect(try await client.assets().download(Self.asset(contents[6])) == contents[6])
    try await first.crash()
    #expect(!FileManager.default.fileExists(atPath: first.folder.file("data/assets")))

    let second = try await start()
    #expect(second.folder.path != first.folder.path)
    client = try await second.client(as: "ada")
    for content in contents {
      #expect(try await client.assets().download(Self.asset(content)) == content)
    }
    let across = try await client.assets().download(
      Self.asset(contents[6]),
      range: (1 << 20) - 3..<(2 << 20) + 5
    )
    #expect(across == Array(contents[6][(1 << 20) - 3..<(2 << 20) + 5]))
    #expect(try number("max(length(bytes)) FROM asset_chunks") == 1 << 20)
    #expect(try number("count(*) FROM asset_contents WHERE state <> 2") == 0)
  }

  @Test("what a kill -9 in the middle of uploads leaves is continued, or swept without a trace")
  func interrupted() async throws {
    let server = try await start()
    let kept = Self.content(2 << 20, seed: 99)
    let contents = (0..<8).map { Self.content(4 << 20, seed: UInt64($0 + 1)) }
    let observed = Observed(0)
    let uploads = (0..<8).map { index in
      Task {
        let client = try await server.client(as: "user\(index)")
        let content = contents[index]
        // More slowly than they could.
        for piece in 0..<8 {
          let offset = piece * 300_000
          _ = try await client.assetCalls.uploadAsset(
            .init(
              asset: Self.asset(content),
              offset: UInt64(offset),
              chunk: Array(content[offset..<offset + 300_000])
            )
          )
          observed.update { $0 += 1 }
        }
      }
    }
    let ada = try await server.client(as: "ada")
    try await ada.save(Self.record("h", try await ada.assets().upload(kept)))
    try await observed.wait("some chunks") { $0 > 20 }
    try await server.crash()
    for upload in uploads { upload.cancel() }
    for upload in uploads { _ = await upload.result }

    // Nothing of an unfinished one is there for anybody.
    let second = try await start()
    let client = try await second.client(as: "user0")
    let early = await failure { _ = try await client.assets().download(Self.asset(contents[0])) }
    #expect(early?.code == .notFound)
    let stored = try await client.assetCalls.uploadAsset(.init(asset: Self.asset(contents[0])))
    #expect(
      try Int64(stored.offset)
        == number(
          "coalesce(sum(stored), 0) FROM asset_contents WHERE checksum = decode('\(Self.asset(contents[0]).checksum.hexadecimal)', 'hex')"
        )
    )
    #expect(try await client.assets().upload(contents[0]) == Self.asset(contents[0]))
    #expect(try await client.assets().download(Self.asset(contents[0])) == contents[0])
    #expect(try number("count(*) FROM asset_contents WHERE state = 0") > 0)
    // Each piece belongs to what was committed of its upload.
    #expect(
      try number(
        """
        count(*) FROM asset_contents c WHERE stored <> (
          SELECT coalesce(sum(length(bytes)), 0) FROM asset_chunks WHERE content_id = c.id)
        """
      ) == 0
    )
    try await second.crash()

    try PostgresConnection(try PostgresAddress(uri))
      .execute("UPDATE asset_contents SET changed = -100000000000 WHERE state < 2")
    let third = try await start()
    try await waitForNumber(2, "count(*) FROM asset_contents")
    #expect(
      try number(
        "count(*) FROM asset_chunks WHERE content_id NOT IN (SELECT id FROM asset_contents)"
      ) == 0
    )
    #expect(
      try await third.client(as: "ada").assets().download(Self.asset(kept)) == kept
    )
  }

  @Test("the same bytes are stored once, and are gone after the last record of the last database")
  func collection() async throws {
    // Where nothing is kept, it would be collected before a record names it.
    let first = try await start()
    let content = Self.content((2 << 20) + 1)
    let asset = Self.asset(content)
    for user in ["ada", "bob"] {
      let client = try await first.client(as: user)
      _ = try await client.assets().upload(content)
      try await client.save(Self.record("h", asset))
    }
    try await first.stop()
    let server = try await start(["--limit", "asset-retention-hours=0"])
    let (ada, bob) = (try await server.client(as: "ada"), try await server.client(as: "bob"))
    try await waitForNumber(1, "count(*) FROM asset_contents")
    #expect(try await ada.assets().download(asset) == content)
    _ = try await ada.modify(delete: [.init("h")])
    var gone: RPCError?
    try await waitUntil("the asset to be gone", pausing: .zero) {
      gone = await failure { _ = try await ada.assets().download(asset) }
      return gone != nil
    }
    #expect(gone?.code == .notFound)
    #expect(try await bob.assets().download(asset) == content)
    _ = try await bob.modify(delete: [.init("h")])
    try await waitForNumber(0, "count(*) FROM asset_contents")
    #expect(try number("count(*) FROM asset_chunks") == 0)
  }

  @Test("uploads and collections of the same bytes at once leave each record its asset")
  func together() async throws {
    let server = try await start(["--limit", "asset-retention-hours=0"])
    let content = Self.content(100_000)
    let asset = Self.asset(content)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        let client = try await server.client(as: "user\(index)")
        group.addTask {
          for round in 0..<15 {
            _ = try await client.assets().upload(content)
            let saved = try await client.modify([Self.record("h\(round)", asset)])
            guard saved[0].error == nil else { continue }
            #expect(try await client.assets().download(asset) == content)
            _ = try await client.modify(delete: [.init("h\(round)")])
          }
        }
      }
      try await group.waitForAll()
    }
    try await waitForNumber(0, "count(*) FROM asset_contents")
    #expect(try number("count(*) FROM asset_chunks") == 0)
  }

  @Test("backends that are killed fail no upload and no download")
  func backends() async throws {
    let server = try await start()
    let content = Self.content(3_000_000)
    let isDone = Observed(false)
    let killing = Task { [uri] in
      let connection = PostgresConnection(try PostgresAddress(uri))
      let kill = try connection.prepare(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      )
      while !isDone.value {
        try kill.forEachRow {}
        // Between two kills an upload or a download gets somewhere.
        try await Task.sleep(for: .milliseconds(300))
      }
    }
    defer { isDone.update { $0 = true } }
    let client = try await server.client(as: "ada")
    for round in 0..<10 {
      var content = content
      content[0] = UInt8(round)
      let asset = try await client.assets().upload(content)
      #expect(try await client.assets().download(asset) == content)
    }
    isDone.update { $0 = true }
    try await killing.value
    #expect(try number("count(*) FROM asset_contents WHERE state <> 2") == 0)
    #expect(try number("sum(stored) FROM asset_contents") == 30_000_000)
  }

  @Test("--assets keeps contents in a folder; what does not fit together is refused at the start")
  func folder() async throws {
    let shared = try TemporaryFolder()
    let content = Self.content(70_000)
    let server = try await start(["--assets", shared.file("a")])
    let client = try await server.client(as: "ada")
    let asset = try await client.assets().upload(content)
    try await client.save(Self.record("h", asset))
    let name = asset.checksum.hexadecimal
    #expect(try shared.read("a/\(name.prefix(2))/\(name.dropFirst(2))") == content)
    #expect(try number("count(*) FROM asset_contents") == 0)
    try await server.stop()
    let second = try await start(["--assets", shared.file("a")])
    #expect(try await second.client(as: "ada").assets().download(asset) == content)
    try await second.stop()

    func refusal(_ arguments: [String], _ environment: [String: String]) async throws -> String {
      let process = try ServerProcess(
        arguments: ["--data", try TemporaryFolder().file("data")] + arguments,
        environment: environment
      )
      #expect(try await process.waitForExit() != .code(0))
      return process.seen.value.errors
    }
    let missing = try await refusal([], ["RPCD_DATABASE": uri])
    #expect(missing.contains("name their folder with --assets FOLDER"), "\(missing)")
    if ServerDatabase.isEmbedded {
      let embedded = try await refusal(["--assets", shared.file("a")], [:])
      #expect(embedded.contains("--assets is for a PostgreSQL database"), "\(embedded)")
    }
    let other = try PostgresCluster.shared().makeDatabaseURI()
    let third = try await TestServer.start(environment: ["RPCD_DATABASE": other])
    _ = try await third.client(as: "ada").assets().upload(content)
    try await third.stop()
    let elsewhere = try await refusal(["--assets", shared.file("a")], ["RPCD_DATABASE": other])
    #expect(elsewhere.contains("start rpcd without --assets"), "\(elsewhere)")
  }
}
#endif

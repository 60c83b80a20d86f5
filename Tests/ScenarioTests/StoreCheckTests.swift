internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// What a running server says of its whole store.
@Suite(.endsServers) struct StoreCheckTests {
  @Test("a check finds nothing in a store in order", .embeddedOnly)
  func inOrder() async throws {
    let world = try await BackupWorld.make(megabytes: 1)
    for arguments in [[], ["--structure"]] {
      let run = await RpcctlRun(world.server, ["server", "check"] + arguments)
      #expect(run.exitCode == .success, "\(run.out)\(run.err)")
      #expect(run.out == "" && run.err.contains("1 assets read, no damage found"), "\(run.err)")
    }
  }

  @Test(
    "a check names damaged and missing assets; a backup refuses them, or leaves them out",
    .embeddedOnly
  )
  func damagedAssets() async throws {
    let world = try await BackupWorld.make()
    let lost = try await world.client.assets().upload(Array("lost".utf8))
    try await world.client.save(.init("Houses", "lost", ["photo": .init(.assetValue(lost))]))
    let folder = world.server.folder
    var content = world.photo
    content[150_000] ^= 4
    try folder.write(content, to: BackupWorld.filePath(world.asset))
    try Folder.remove(folder.file(BackupWorld.filePath(lost)))

    let run = await RpcctlRun(world.server, ["server", "check"])
    #expect(run.exitCode == .conditionNotMet, "\(run.out)\(run.err)")
    #expect(run.lines.count == 2 && run.err.contains("2 damaged"), "\(run.out)\(run.err)")
    #expect(run.out.contains("missing") && run.out.contains("content"), "\(run.out)")
    let table = await RpcctlRun(world.server, ["server", "check", "-o", "table"], format: .table)
    for asset in [world.asset, lost] { #expect(table.out.contains(asset.checksum.hexadecimal)) }

    let refused = await world.backUp()
    #expect(refused.exitCode == .failedCall(.dataLoss), "\(refused.err)")
    #expect(refused.err.contains("--skip-damaged-assets"), "\(refused.err)")
    #expect(try Folder.status(world.path) == nil && Folder.status(world.partPath) == nil)
    let partial = await world.backUp("--skip-damaged-assets")
    #expect(partial.exitCode == .conditionNotMet, "\(partial.err)")
    for asset in [world.asset, lost] { #expect(partial.err.contains(asset.checksum.hexadecimal)) }

    let other = try TemporaryFolder()
    let restore = try await RestoreRun(world.path, into: other)
    #expect(restore.exit == .code(0) && restore.output.contains("missing"), "\(restore.errors)")
    let restored = try await TestServer.start(in: other)
    let reader = try await restored.client(as: "ada")
    let gone = await failure { _ = try await reader.assets().download(world.asset) }
    #expect(gone?.code == .dataLoss)
    // As the text says: what is uploaded again is there.
    _ = try await reader.assets().upload(world.photo)
    #expect(try await reader.assets().download(world.asset) == world.photo)
  }

  @Test(
    "a check names a page with a flipped bit, and a backup refuses it",
    .embeddedOnly,
    arguments: [1, 2, 3]
  )
  func damagedPage(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let world = try await BackupWorld.make(megabytes: 1)
    // A check moves the log, so that the page is in the file and is not written again.
    #expect(await RpcctlRun(world.server, ["server", "check"]).exitCode == .success)
    let path = world.server.folder.file("data/tidings.sqlite")
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let page = try file.seekToEnd() / 4096 - UInt64(random.below(20))
    let position = (page - 1) * 4096 + UInt64(random.below(4096))
    try file.seek(toOffset: position)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: position)
    try file.write(contentsOf: [byte ^ (1 << UInt8(random.below(8)))])

    let run = await RpcctlRun(world.server, ["server", "check"])
    #expect(run.exitCode == .conditionNotMet, "\(run.out)\(run.err)")
    #expect(run.out.contains("\(page)") && run.out.contains("checksum"), "\(run.out)")
    let refused = await world.backUp()
    #expect(refused.exitCode == .failedCall(.dataLoss), "\(refused.err)")
    #expect(refused.err.contains("page \(page)"), "\(refused.err)")
    #expect(try Folder.status(world.path) == nil && Folder.status(world.partPath) == nil)
  }

  @Test("statistics count what is there")
  func statistics() async throws {
    let world = try await BackupWorld.make()
    let client = world.client
    for number in 0..<5 { try await client.save(.init("Cars", "c\(number)")) }
    _ = try await client.modify(delete: [.init("c0"), .init("c1")])
    try await client.subscribe(.init("all", "Houses"))
    try await client.save(.init("Houses", "h1"))
    let run = await RpcctlRun(world.server, ["server", "statistics"])
    #expect(run.exitCode == .success, "\(run.err)")
    for part in [
      #""records":"5""#, #""tombstones":"2""#, #""subscriptions":"1""#, #""events":"1""#,
      #""assets":"1","assetBytes":"300000""#,
    ] {
      #expect(run.out.contains(part), "\(run.out)")
    }
    let response = try await TidingsV1.AdminService.Client(client.transport)
      .fetchStatistics(.init())
    #expect(response.zones == 1 && response.channels == 1)
    if ServerDatabase.isEmbedded { #expect(response.logBytes > 0) }
  }
}

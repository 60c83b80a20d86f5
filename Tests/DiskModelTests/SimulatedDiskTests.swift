internal import DiskModel
internal import RandomSupport
internal import TestSupport
internal import Testing

/// What a disk promises that nobody synced, and what it does not.
@Suite struct SimulatedDiskTests {
  private let content = [UInt8](repeating: 1, count: 1024)

  private func left(
    _ disk: SimulatedDisk,
    _ manner: PowerLoss.Manner,
    seed: UInt64 = 1
  ) throws -> [String: [UInt8]] {
    let folder = try TemporaryFolder()
    let loss = PowerLoss(
      manner,
      sectorBytes: 512,
      end: disk.count,
      random: SplitMix64(seed: seed)
    )
    try disk.write(after: loss, to: folder.file("left"))
    return try folder.contents("left")
  }

  /// A disk with a file that is open as 1, in a folder that is open as 2.
  private func disk(durable: Bool) -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.apply(.madeFolder(path: "/data"))
    disk.apply(.opened(path: "/data", node: 2, isCreated: false, isEmptied: false))
    disk.apply(.opened(path: "/", node: 3, isCreated: false, isEmptied: false))
    disk.apply(.synced(node: 3, hasFailed: false))
    disk.apply(.opened(path: "/data/file", node: 1, isCreated: true, isEmptied: false))
    guard durable else { return disk }
    disk.apply(.written(node: 1, offset: 0, bytes: content))
    disk.apply(.synced(node: 1, hasFailed: false))
    disk.apply(.synced(node: 2, hasFailed: false))
    return disk
  }

  @Test("what was synced is kept, with its name")
  func synced() throws {
    for manner in PowerLoss.Manner.allCases {
      #expect(try left(disk(durable: true), manner) == ["data/file": content])
    }
  }

  @Test("a file that was synced and whose name was not can be gone")
  func name() throws {
    let disk = disk(durable: false)
    disk.apply(.written(node: 1, offset: 0, bytes: content))
    disk.apply(.synced(node: 1, hasFailed: false))
    #expect(try left(disk, .nothing) == [:])
    #expect(try left(disk, .everything) == ["data/file": content])
  }

  @Test("a write that was not synced is kept, torn between sectors or lost")
  func torn() throws {
    let disk = disk(durable: true)
    disk.apply(.written(node: 1, offset: 256, bytes: [UInt8](repeating: 2, count: 512)))
    var seen: Set<[UInt8]> = []
    for seed in 0..<60 {
      let file = try #require(try left(disk, .any, seed: UInt64(seed))["data/file"])
      #expect(file.count == 1024 && file[..<256].allSatisfy { $0 == 1 })
      for sector in [256..<512, 512..<768] { #expect(Set(file[sector]).count == 1) }
      seen.insert(file)
    }
    #expect(seen.count == 4)
  }

  @Test("what a failed sync left is never durable, what comes later is")
  func failedSync() throws {
    let disk = disk(durable: true)
    disk.apply(.written(node: 1, offset: 0, bytes: [2]))
    disk.apply(.synced(node: 1, hasFailed: true))
    disk.apply(.written(node: 1, offset: 1, bytes: [3]))
    disk.apply(.synced(node: 1, hasFailed: false))
    #expect(try left(disk, .nothing)["data/file"]?.prefix(3) == [1, 3, 1])
    #expect(try left(disk, .everything)["data/file"]?.prefix(3) == [2, 3, 1])
  }

  @Test("the next process sees what a failed sync left, and its own syncs do not make it durable")
  func nextProcess() throws {
    let disk = disk(durable: true)
    disk.apply(.written(node: 1, offset: 0, bytes: [2]))
    disk.apply(.synced(node: 1, hasFailed: true))
    #expect(!disk.hasDoubtfulNames)
    let folder = try TemporaryFolder()
    try disk.write(to: folder.file("seen"))
    #expect(try folder.contents("seen")["data/file"]?.prefix(3) == [2, 1, 1])
    // The system gives the copy another number.
    disk.apply(.opened(path: "/data/file", node: 7, isCreated: false, isEmptied: false))
    disk.apply(.written(node: 7, offset: 1, bytes: [3]))
    disk.apply(.synced(node: 7, hasFailed: false))
    #expect(try left(disk, .nothing)["data/file"]?.prefix(3) == [1, 3, 1])
    // What is written again is.
    disk.apply(.written(node: 7, offset: 0, bytes: [2]))
    disk.apply(.synced(node: 7, hasFailed: false))
    #expect(try left(disk, .nothing)["data/file"]?.prefix(3) == [2, 3, 1])
    disk.apply(.synced(node: 2, hasFailed: true))
    #expect(!disk.hasDoubtfulNames)
    disk.apply(.renamed(path: "/data/file", to: "/data/other"))
    disk.apply(.synced(node: 2, hasFailed: true))
    #expect(disk.hasDoubtfulNames)
  }

  @Test("a renaming is done or not, in its folder as one")
  func renamed() throws {
    let disk = disk(durable: true)
    disk.apply(.renamed(path: "/data/file", to: "/data/other"))
    #expect(try left(disk, .nothing) == ["data/file": content])
    #expect(try left(disk, .everything) == ["data/other": content])
    disk.apply(.synced(node: 2, hasFailed: false))
    #expect(try left(disk, .nothing) == ["data/other": content])
  }

  @Test("a sync of the folder above does not make the names in a folder durable")
  func above() throws {
    let disk = disk(durable: false)
    disk.apply(.opened(path: "/data/..", node: 4, isCreated: false, isEmptied: false))
    disk.apply(.opened(path: "/../..", node: 5, isCreated: false, isEmptied: false))
    disk.apply(.synced(node: 4, hasFailed: false))
    disk.apply(.synced(node: 5, hasFailed: false))
    #expect(try left(disk, .nothing) == [:])
  }
}

internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQLite

@testable internal import TidingsService

@Suite struct StoreStateTests {
  private func state(_ random: inout SplitMix64) -> StoreState {
    let log = LogID(
      checkpoint: UInt32(random.below(1 << 31)),
      salt1: UInt32.max,
      salt2: UInt32(random.below(1 << 31))
    )
    return StoreState(
      incarnation: random.bytes(8),
      run: Int64(random.below(1 << 40)),
      isStopped: random.oneIn(2),
      position: random.oneIn(5) ? nil : LogPosition(log: log, frames: UInt32(random.below(99_999))),
      firstPageVersion: UInt32(random.below(1 << 31)),
      lastCommit: Timestamp(millisecondsSince1970: Int64(random.below(1 << 41))),
      sweepsAfter: SteadyTime(milliseconds: Int64(random.below(1 << 41)))
    )
  }

  @Test("a state comes back, and one with any wrong bit does not")
  func coding() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<50 {
      var state = state(&random)
      if state.position == nil { state.firstPageVersion = 0 }
      let bytes = state.encoded(7)
      #expect(bytes.count == StoreState.byteCount)
      let decoded = try #require(StoreState.decoded(bytes[...]))
      #expect(decoded.state == state && decoded.number == 7)
      var damaged = bytes
      damaged[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
      #expect(StoreState.decoded(damaged[...]) == nil)
      #expect(StoreState.decoded(bytes.dropLast()) == nil)
    }
  }

  @Test("the newest state is read, and the one before when its write was torn at any byte")
  func slots() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 2)
    let path = folder.file("state")
    #expect(try StoreStateFile.read(path) == nil)
    var file = try StoreStateFile(path)
    #expect(try StoreStateFile.read(path) == nil)
    var previous: StoreState?
    var before: [UInt8] = []
    for _ in 0..<9 {
      let next = state(&random)
      // A file that was opened again goes on with the older slot.
      if random.oneIn(2) { file = try StoreStateFile(path) }
      try file.write(next)
      #expect(try StoreStateFile.read(path) == next)
      let after = try folder.read("state")
      if let previous {
        for cut in 0..<80 {
          let mixed = zip(before + after.dropFirst(before.count), after).enumerated().map {
            $0.offset % 4096 < cut ? $0.element.1 : $0.element.0
          }
          try folder.write(mixed, to: "torn")
          let seen = try StoreStateFile.read(folder.file("torn"))
          #expect(seen == previous || seen == next)
        }
      }
      (previous, before) = (next, after)
    }
  }
}

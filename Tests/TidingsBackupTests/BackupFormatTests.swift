import RandomSupport
import TestSupport
import Testing
import TidingsBackup
import TidingsFiles

/// A backup is read as it was written, in any pieces, and no other bytes are taken for one.
@Suite struct BackupFormatTests {
  private static let manifest = BackupManifest(
    schema: 7,
    incarnation: "00112233445566ff",
    created: "2026-11-22T08:00:00.000Z",
    serverVersion: "0.1.0",
    pageBytes: 512,
    pageCount: 5,
    assetCount: 3,
    assetBytes: 3000,
    containerCount: 1,
    recordCount: 10
  )

  /// A backup of five pages and some assets, of which one is damaged.
  private static func sections(_ random: inout SplitMix64) -> [BackupSection] {
    var sections: [BackupSection] = [
      .manifest(manifest), .pages(first: 1, bytes: random.bytes(3 * 512)),
      .pages(first: 4, bytes: random.bytes(2 * 512)),
    ]
    var totals = BackupTotals()
    totals.pages = 5
    let contents = (0..<4).map { random.bytes($0 * 700) }
    let sorted = contents.map { (SHA256.checksum(of: $0), $0) }.sorted {
      $0.0.lexicographicallyPrecedes($1.0)
    }
    for (index, (checksum, content)) in sorted.enumerated() {
      sections.append(.asset(checksum: checksum, size: UInt64(content.count)))
      if index == 1 {
        sections.append(.damagedAsset)
        totals.damagedAssets += 1
        continue
      }
      for begin in stride(from: 0, to: content.count, by: 512) {
        sections.append(.piece(Array(content[begin..<min(begin + 512, content.count)])))
      }
      totals.assets += 1
      totals.assetBytes += UInt64(content.count)
    }
    return sections + [.end(totals)]
  }

  private static func encoded(_ sections: [BackupSection]) -> [UInt8] {
    var (encoder, bytes) = (BackupEncoder(), BackupEncoder.head)
    for section in sections { encoder.append(section, to: &bytes) }
    return bytes
  }

  private static func decoded(
    _ bytes: [UInt8],
    pieces: () -> Int = { .max }
  ) throws -> [BackupSection] {
    var (decoder, sections, rest) = (BackupDecoder(), [BackupSection](), bytes[...])
    while !rest.isEmpty {
      let piece = rest.prefix(max(1, min(pieces(), rest.count)))
      rest = rest.dropFirst(piece.count)
      decoder.append(Array(piece))
      while let section = try decoder.nextSection() { sections.append(section) }
    }
    try decoder.finish()
    return sections
  }

  @Test("what was written is read, in pieces of any size")
  func roundTrip() throws {
    var random = SplitMix64(seed: Seed.make("roundTrip"))
    let sections = Self.sections(&random)
    let bytes = Self.encoded(sections)
    #expect(try Self.decoded(bytes) == sections)
    #expect(try Self.decoded(bytes) { 1 } == sections)
    for _ in 0..<20 {
      #expect(try Self.decoded(bytes) { Int.random(in: 1...1500, using: &random) } == sections)
    }
  }

  @Test("a backup that is cut anywhere is incomplete")
  func cut() throws {
    var random = SplitMix64(seed: Seed.make("cut"))
    let bytes = Self.encoded(Self.sections(&random))
    for count in 0..<bytes.count {
      #expect(throws: BackupError.self, "\(count)") { try Self.decoded(Array(bytes[..<count])) }
    }
    #expect(throws: BackupError.self) { try Self.decoded(bytes + [0]) }
  }

  @Test("a flipped bit anywhere is noticed")
  func flipped() throws {
    var random = SplitMix64(seed: Seed.make("flipped"))
    let bytes = Self.encoded(Self.sections(&random))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      #expect(throws: BackupError.self, "byte \(index)") { try Self.decoded(changed) }
    }
  }

  @Test("sections that are missing, doubled or exchanged are noticed, though each is whole")
  func order() throws {
    var random = SplitMix64(seed: Seed.make("order"))
    let sections = Self.sections(&random)
    for index in sections.indices {
      var without = sections
      without.remove(at: index)
      #expect(throws: BackupError.self, "without \(index)") {
        try Self.decoded(Self.encoded(without))
      }
      var twice = sections
      twice.insert(sections[index], at: index)
      #expect(throws: BackupError.self, "twice \(index)") {
        try Self.decoded(Self.encoded(twice))
      }
      guard index > 0 else { continue }
      var exchanged = sections
      exchanged.swapAt(index - 1, index)
      #expect(throws: BackupError.self, "exchanged \(index)") {
        try Self.decoded(Self.encoded(exchanged))
      }
    }
  }

  @Test("no more than one section is kept, whatever a file says of lengths")
  func bounded() throws {
    var decoder = BackupDecoder()
    decoder.append(BackupEncoder.head + [0x70, 0xff, 0xff, 0xff, 0xff])
    #expect(throws: BackupError.self) { try decoder.nextSection() }
  }

  @Test("a pace lets through what it says, and does not catch up with a long rest")
  func pace() {
    var now = ContinuousClock.now
    var pace = BackupPace(bytesPerSecondMax: 1000, now: now)
    let begin = now
    for _ in 0..<10 { now += pace.advance(by: 500, now: now) }
    #expect(abs((now - begin - .seconds(5)) / .seconds(1)) < 0.2)
    now += .seconds(100)
    let rested = now
    for _ in 0..<10 { now += pace.advance(by: 500, now: now) }
    #expect((now - rested) / .seconds(1) > 4.8)
  }
}

internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsWire

/// What the writer writes is read back, and bytes that are not protobuf are refused within their bounds.
@Suite struct WireReaderTests {
  @Test("fields of all forms are read as they were written")
  func roundTrip() throws {
    let seed = Seed.make("WireReader")
    var random = SplitMix64(seed: seed)
    for length in [0, 1, 127, 128, 16_383, 16_384, 70_000] {
      let (number, fixed, content) = (
        random.next() >> UInt64(random.below(64)), random.next(), random.bytes(length)
      )
      var writer = WireWriter(capacity: 16)
      writer.add(1, varint: number)
      writer.add(15, fixed64: fixed)
      writer.add(16, content)
      writer.tag(536_870_911, .fixed32)
      writer.fixed(UInt32(truncatingIfNeeded: fixed))
      var reader = WireReader(writer.bytes[...])
      guard case (1, .varint(number))?? = try? reader.next(),
        case (15, .fixed64(fixed))?? = try? reader.next(),
        case (16, .bytes(let read))?? = try? reader.next(),
        case (536_870_911, .fixed32(let half))?? = try? reader.next()
      else {
        Issue.record("seed \(seed), length \(length)")
        continue
      }
      #expect(Array(read) == content && half == UInt32(truncatingIfNeeded: fixed))
      #expect(try reader.next() == nil && reader.isAtEnd)
      #expect(WireSize.varint(number) == varintBytes(number), "seed \(seed)")
      #expect(WireSize.field(length) == delimitedBytes(content))
    }
  }

  @Test(
    "what is not protobuf is refused",
    arguments: [
      [0x08], [0x00, 0x01], [0x08, 0x80], [0x09, 1, 2, 3], [0x0a, 2, 1], [0x0c], [0x0e],
      [0x08] + [UInt8](repeating: 0xff, count: 10), [0x0b, 0x14], [0x0b],
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ] as [[UInt8]]
  )
  func refuses(bytes: [UInt8]) {
    var reader = WireReader(bytes[...])
    #expect(throws: WireError.self) { while try reader.next() != nil {} }
  }

  @Test("a group is skipped, and one in too many others refused")
  func groups() throws {
    var reader = WireReader([0x0b, 0x10, 1, 0x0c, 0x18, 2] as ArraySlice<UInt8>)
    guard case (1, .group)? = try reader.next(), case (3, .varint(2))? = try reader.next() else {
      Issue.record("the group is not skipped")
      return
    }
    let depth = 100
    var deep = WireReader(
      ([UInt8](repeating: 0x0b, count: depth) + [UInt8](repeating: 0x0c, count: depth))[...]
    )
    #expect(throws: WireError.self) { try deep.next() }
  }

  @Test("random bytes end in a refusal or at their end")
  func randomBytes() {
    let seed = Seed.make("WireReader.random")
    var random = SplitMix64(seed: seed)
    for _ in 0..<10_000 {
      var reader = WireReader(random.bytes(random.below(40))[...])
      while let field = try? reader.next() {
        #expect(field.field > 0, "seed \(seed)")
      }
    }
  }

  private func varintBytes(_ value: UInt64) -> Int {
    var writer = WireWriter()
    writer.varint(value)
    return writer.bytes.count
  }

  private func delimitedBytes(_ content: [UInt8]) -> Int {
    var writer = WireWriter()
    writer.add(1, content)
    return writer.bytes.count
  }
}

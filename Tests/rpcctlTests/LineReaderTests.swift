import RandomSupport
import TestSupport
import Testing

@testable import rpcctl

@Suite struct LineReaderTests {
  /// Bytes in chunks of random sizes.
  private final class Pieces: ByteSource {
    private var rest: ArraySlice<UInt8>
    private var random: SplitMix64
    let size: Int? = nil

    init(_ bytes: [UInt8], seed: UInt64) {
      rest = bytes[...]
      random = SplitMix64(seed: seed)
    }

    func read(into buffer: inout [UInt8], from start: Int) throws -> Int {
      let count = min(rest.count, buffer.count - start, 1 + Int(random.below(700_000)))
      buffer.replaceSubrange(start..<(start + count), with: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }

  @Test("lines have their numbers and positions, however the bytes arrive")
  func lines() throws {
    let seed = Seed.make("LineReader")
    var random = SplitMix64(seed: seed)
    for _ in 0..<8 {
      let lines: [[UInt8]] = (0..<40).map { index in
        let count = random.below(6) == 0 ? Int(random.below(3_000_000)) : Int(random.below(50))
        return [UInt8](repeating: UInt8(97 + index % 26), count: count)
      }
      let endsOpen = Bool.random(using: &random) && !(lines.last?.isEmpty ?? true)
      var text = Array(lines.joined(separator: [10]))
      if !endsOpen { text.append(10) }
      var reader = LineReader(Pieces(text, seed: seed))
      var offset = 0
      for (index, line) in lines.enumerated() {
        #expect(reader.offset == offset, "seed \(seed)")
        guard case .text(let range)? = try reader.next() else {
          Issue.record("line \(index) is missing, seed \(seed)")
          return
        }
        #expect(reader.buffer[range].elementsEqual(line), "seed \(seed)")
        #expect(reader.number == index + 1)
        offset += line.count + 1
      }
      #expect(reader.isComplete == !endsOpen)
      #expect(try reader.next() == nil)
    }
  }

  @Test("a line that is too long is skipped, and counted")
  func tooLong() throws {
    let long = [UInt8](repeating: 120, count: LineReader.lineBytesMax * 2)
    var reader = LineReader(MemorySource(Array("a\n".utf8) + long + Array("\nb".utf8)))
    #expect(try reader.next() == .text(0..<1))
    #expect(try reader.next() == .tooLong)
    guard case .text(let range)? = try reader.next() else {
      Issue.record("the line behind it is missing")
      return
    }
    #expect(reader.buffer[range].elementsEqual("b".utf8) && reader.number == 3)
    #expect(reader.offset == long.count + 4)
    #expect(try reader.next() == nil)
  }
}

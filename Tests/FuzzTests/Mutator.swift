internal import RandomSupport

/// Makes inputs of inputs: bytes changed, dropped, doubled, and spliced with those of others.
struct Mutator {
  var random: SplitMix64
  private let corpus: [[UInt8]]
  private static let bytesMax = 8192

  init(seed: UInt64, corpus: [[UInt8]]) {
    random = SplitMix64(seed: seed)
    self.corpus = corpus.isEmpty ? [[]] : corpus
  }

  /// The next input.
  mutating func next() -> [UInt8] {
    var bytes = random.pick(corpus)
    for _ in 0...random.below(4) { mutate(&bytes) }
    return Array(bytes.prefix(Self.bytesMax))
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let position = random.below(bytes.count + 1)
    let end = min(bytes.count, position + random.below(17))
    switch random.below(8) {
    case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(random.below(8))
    case 1 where position < bytes.count:
      bytes[position] = random.pick([0, 1, 0x22, 0x27, 0x28, 0x7F, 0x80, 0xC0, 0xFF])
    case 2: bytes.removeSubrange(position..<end)
    case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
    case 4: bytes.insert(contentsOf: random.bytes(random.below(9)), at: position)
    case 5: bytes.removeSubrange(position...)
    case 6:
      let piece = [UInt8](repeating: random.pick([0x28, 0x5B, 0x7B, 0x2A, 0xFF, 0]), count: 70)
      bytes.insert(contentsOf: piece, at: position)
    default:
      let other = random.pick(corpus)
      bytes = Array(bytes[..<position] + other.dropFirst(random.below(other.count + 1)))
    }
  }
}

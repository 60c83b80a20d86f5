import CProtobufC
import Testing

@testable import TidingsProtobuf

@Suite("Arena")
struct ArenaTests {
  @Test("hands out aligned memory that does not overlap")
  func allocates() {
    let arena = Arena(firstChunkBytes: 64)
    var ranges: [Range<Int>] = []
    for size in [1, 8, 3, 64, 0, 1000, 70_000, 5, 16] {
      let start = Int(bitPattern: arena.allocate(byteCount: size))
      #expect(start % 8 == 0)
      ranges.append(start..<start + size)
    }
    for (index, range) in ranges.enumerated() {
      for other in ranges[..<index] { #expect(!range.overlaps(other)) }
    }
  }

  @Test("reset gives the first chunk out again")
  func resets() {
    let arena = Arena(firstChunkBytes: 64)
    let first = arena.allocate(byteCount: 16)
    _ = arena.allocate(byteCount: 10_000)
    #expect(arena.usedBytes == 10_016)
    arena.reset()
    #expect(arena.usedBytes == 0)
    #expect(arena.allocate(byteCount: 16) == first)
  }

  @Test("the capacity bounds what protobuf-c allocates")
  func refusesBeyondCapacity() throws {
    let arena = Arena(capacityBytes: 100, firstChunkBytes: 16)
    let allocator = arena.allocator.pointee
    let allocate = try #require(allocator.alloc)
    #expect(allocate(allocator.allocator_data, 60) != nil)
    #expect(arena.isExhausted == false)
    #expect(allocate(allocator.allocator_data, 60) == nil)
    #expect(allocate(allocator.allocator_data, Int.max) == nil)
    #expect(arena.isExhausted == true)
    arena.reset()
    #expect(arena.isExhausted == false)
    #expect(allocate(allocator.allocator_data, 60) != nil)
  }

  @Test("building one's own messages is not bounded")
  func growsForEncoding() {
    let arena = Arena(capacityBytes: 16, firstChunkBytes: 16)
    let memory = arena.allocate(UInt8.self, count: 1000)
    memory.update(repeating: 7, count: 1000)
    #expect(memory[999] == 7)
  }
}

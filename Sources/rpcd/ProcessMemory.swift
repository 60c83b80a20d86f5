import CAllocator

/// What the C library keeps of memory that is not used any more.
enum ProcessMemory {
  /// Makes it keep little, so that the memory of many large messages is free again when they were answered.
  ///
  /// Called before any thread starts: by default each thread has a heap of its own, which keeps more, the larger the
  /// blocks were that it has freed.
  static func limitFreeMemory() {
    tidings_allocator_configure(2, 256 << 10, 4 << 20)
  }
}

import CAllocator

/// What the C library keeps of memory that is not used any more.
enum ProcessMemory {
  /// Keeps little, so that what many large messages took counts for nothing when they were answered.
  ///
  /// For the begin of the program: a thread that runs has its heap. By default each thread has one, which keeps ever more
  /// the larger blocks were that it has freed.
  static func keepsLittle() {
    tidings_allocator_configure(2, 256 << 10, 4 << 20)
  }
}

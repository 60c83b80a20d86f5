internal import TidingsModel

/// From a term of a field to the list of its channels: one hash table for all databases and types,
/// so that a million small databases cost no more than one big one.
///
/// Numbers instead of references, and arrays that never shrink but reuse: a bucket is one distinct
/// (field, kind, value), a posting one channel's membership in it.
struct TermTable {
  static let none = UInt32.max

  struct Bucket {
    var field: UInt32
    var detail: Int32
    /// The first posting; of a free bucket, the next free one.
    var head: UInt32
    /// Postings; 0 for a free bucket.
    var count: UInt32
    var fingerprint: UInt32
    var kind: Term.Kind
    var value: FieldValue
  }

  struct Posting {
    var slot: UInt32
    var bucket: UInt32
    var next: UInt32
    var previous: UInt32
    /// The next posting of the same slot; of a free posting, the next free one.
    var nextOfSlot: UInt32
  }

  private(set) var buckets: [Bucket] = []
  private(set) var postings: [Posting] = []
  private var firstFreeBucket = Self.none
  private var firstFreePosting = Self.none
  /// Fingerprint in the upper half, bucket + 1 in the lower; 0 is empty.
  ///
  /// Probed in line.
  private var table: [UInt64] = Array(repeating: 0, count: 16)
  private var bucketCount = 0

  /// Makes room for so many terms and postings in all, before many insertions.
  mutating func reserveCapacity(_ count: Int) {
    buckets.reserveCapacity(count)
    postings.reserveCapacity(count)
    while count * 3 > table.count * 2 { grow() }
  }

  /// The bucket of a field's value; `none` when there is none.
  func bucket(field: UInt32, kind: Term.Kind, detail: Int32, value: FieldValue) -> UInt32 {
    let fingerprint = Self.fingerprint(field, kind, detail) { value.hashMeaning(into: &$0) }
    return find(fingerprint, field, kind, detail) { $0.means(value) }
  }

  /// The bucket of a prefix or word that is some bytes of a text.
  func bucket(field: UInt32, kind: Term.Kind, bytes: UnsafeRawBufferPointer) -> UInt32 {
    let fingerprint = Self.fingerprint(field, kind, 0) { $0.combine(bytes: bytes) }
    return find(fingerprint, field, kind, 0) { value in
      guard case .string(let text) = value, text.utf8.count == bytes.count else { return false }
      return text.withUTF8Bytes { $0.elementsEqual(bytes) }
    }
  }

  /// Adds a slot to a term's bucket, which is made if need be.
  ///
  /// - Returns: The posting, and the bucket if it is new.
  mutating func insert(
    field: UInt32,
    term: Term,
    slot: UInt32,
    nextOfSlot: UInt32
  ) -> (posting: UInt32, newBucket: UInt32?) {
    let fingerprint = Self.fingerprint(field, term.kind, term.detail) {
      term.value.hashMeaning(into: &$0)
    }
    let found = find(fingerprint, field, term.kind, term.detail) { $0.means(term.value) }
    let bucket = found == Self.none ? makeBucket(field, term, fingerprint) : found
    let head = buckets[Int(bucket)].head
    let posting = Posting(
      slot: slot,
      bucket: bucket,
      next: head,
      previous: Self.none,
      nextOfSlot: nextOfSlot
    )
    let index = store(posting)
    if head != Self.none { postings[Int(head)].previous = index }
    buckets[Int(bucket)].head = index
    buckets[Int(bucket)].count += 1
    return (index, found == Self.none ? bucket : nil)
  }

  /// Whether removing this posting leaves its bucket without any.
  func isLast(_ posting: UInt32) -> Bool { buckets[Int(postings[Int(posting)].bucket)].count == 1 }

  /// Removes a posting, and its bucket when it was the last.
  ///
  /// - Returns: The next posting of the same slot.
  mutating func remove(_ posting: UInt32) -> UInt32 {
    let old = postings[Int(posting)]
    if old.next != Self.none { postings[Int(old.next)].previous = old.previous }
    if old.previous != Self.none {
      postings[Int(old.previous)].next = old.next
    } else {
      buckets[Int(old.bucket)].head = old.next
    }
    buckets[Int(old.bucket)].count -= 1
    if buckets[Int(old.bucket)].count == 0 { free(old.bucket) }
    postings[Int(posting)].nextOfSlot = firstFreePosting
    firstFreePosting = posting
    return old.nextOfSlot
  }

  private static func fingerprint(
    _ field: UInt32,
    _ kind: Term.Kind,
    _ detail: Int32,
    _ feed: (inout Hasher) -> Void
  ) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(UInt64(field) << 32 | UInt64(UInt32(bitPattern: detail)))
    hasher.combine(kind.rawValue)
    feed(&hasher)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  private func find(
    _ fingerprint: UInt32,
    _ field: UInt32,
    _ kind: Term.Kind,
    _ detail: Int32,
    _ isValue: (FieldValue) -> Bool
  ) -> UInt32 {
    let mask = table.count - 1
    var position = Int(fingerprint) & mask
    while table[position] != 0 {
      if UInt32(table[position] >> 32) == fingerprint {
        let index = UInt32(truncatingIfNeeded: table[position]) - 1
        let isSame =
          buckets[Int(index)].field == field && buckets[Int(index)].kind == kind
          && buckets[Int(index)].detail == detail && isValue(buckets[Int(index)].value)
        if isSame { return index }
      }
      position = (position + 1) & mask
    }
    return Self.none
  }

  private mutating func makeBucket(
    _ field: UInt32,
    _ term: Term,
    _ fingerprint: UInt32
  ) -> UInt32 {
    let bucket = Bucket(
      field: field,
      detail: term.detail,
      head: Self.none,
      count: 0,
      fingerprint: fingerprint,
      kind: term.kind,
      value: term.value
    )
    let index = firstFreeBucket
    if index != Self.none {
      firstFreeBucket = buckets[Int(index)].head
      buckets[Int(index)] = bucket
      enter(index)
      return index
    }
    buckets.append(bucket)
    enter(UInt32(buckets.count - 1))
    return UInt32(buckets.count - 1)
  }

  private mutating func store(_ posting: Posting) -> UInt32 {
    let index = firstFreePosting
    guard index != Self.none else {
      postings.append(posting)
      return UInt32(postings.count - 1)
    }
    firstFreePosting = postings[Int(index)].nextOfSlot
    postings[Int(index)] = posting
    return index
  }

  private mutating func enter(_ bucket: UInt32) {
    bucketCount += 1
    if bucketCount * 3 > table.count * 2 { grow() }
    location(UInt64(buckets[Int(bucket)].fingerprint) << 32 | UInt64(bucket + 1))
  }

  private mutating func location(_ entry: UInt64) {
    let mask = table.count - 1
    var position = Int(entry >> 32) & mask
    while table[position] != 0 { position = (position + 1) & mask }
    table[position] = entry
  }

  private mutating func grow() {
    let old = table
    table = Array(repeating: 0, count: old.count * 2)
    for entry in old where entry != 0 { location(entry) }
  }

  /// Takes a bucket out of the table and moves back what probing had pushed behind it.
  private mutating func free(_ bucket: UInt32) {
    let mask = table.count - 1
    let entry = UInt64(buckets[Int(bucket)].fingerprint) << 32 | UInt64(bucket + 1)
    var hole = Int(entry >> 32) & mask
    while table[hole] != entry { hole = (hole + 1) & mask }
    var position = (hole + 1) & mask
    while table[position] != 0 {
      let home = Int(table[position] >> 32) & mask
      if (position - home) & mask >= (position - hole) & mask {
        table[hole] = table[position]
        hole = position
      }
      position = (position + 1) & mask
    }
    table[hole] = 0
    bucketCount -= 1
    buckets[Int(bucket)].value = .int64(0)
    buckets[Int(bucket)].head = firstFreeBucket
    firstFreeBucket = bucket
  }
}

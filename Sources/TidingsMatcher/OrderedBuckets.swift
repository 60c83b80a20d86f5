internal import TidingsModel

/// Buckets in the order of their values, in short runs, so that inserting moves little.
struct OrderedBuckets {
  private static let runCountMax = 512

  /// No run is empty.
  private var runs: [[UInt32]] = []
  private(set) var count = 0

  /// Inserts a bucket that is not there yet.
  mutating func insert(_ bucket: UInt32, _ table: TermTable) {
    count += 1
    guard !runs.isEmpty else {
      runs = [[bucket]]
      return
    }
    let (run, index) = position(of: table.buckets[Int(bucket)].value, after: false, table)
    // Behind the last run is the end of the last run.
    if run == runs.count {
      runs[run - 1].append(bucket)
      split(run - 1)
    } else {
      runs[run].insert(bucket, at: index)
      split(run)
    }
  }

  /// Removes a bucket, while its value is still known.
  mutating func remove(_ bucket: UInt32, _ table: TermTable) {
    let (run, index) = position(of: table.buckets[Int(bucket)].value, after: false, table)
    precondition(run < runs.count && runs[run][index] == bucket, "a bucket is not where it belongs")
    runs[run].remove(at: index)
    if runs[run].isEmpty { runs.remove(at: run) }
    count -= 1
  }

  /// Visits the buckets whose value is of the same class as a value, and less (or equal).
  func visit(
    below value: FieldValue,
    orEqual: Bool,
    _ table: TermTable,
    _ body: (UInt32) -> Void
  ) {
    var (run, index) = position(of: value, after: orEqual, table)
    while true {
      if index == 0 {
        if run == 0 { return }
        run -= 1
        index = runs[run].count
      }
      index -= 1
      let bucket = runs[run][index]
      guard table.buckets[Int(bucket)].value.meaningClass == value.meaningClass else { return }
      body(bucket)
    }
  }

  /// Visits the buckets whose value is of the same class as a value, and greater (or equal).
  func visit(
    above value: FieldValue,
    orEqual: Bool,
    _ table: TermTable,
    _ body: (UInt32) -> Void
  ) {
    var (run, index) = position(of: value, after: !orEqual, table)
    while run < runs.count {
      let bucket = runs[run][index]
      guard table.buckets[Int(bucket)].value.meaningClass == value.meaningClass else { return }
      body(bucket)
      index += 1
      if index == runs[run].count { (run, index) = (run + 1, 0) }
    }
  }

  /// Where the first bucket stands that is not less than a value, or with `after` that is greater.
  private func position(
    of value: FieldValue,
    after: Bool,
    _ table: TermTable
  ) -> (run: Int, index: Int) {
    func isBefore(_ bucket: UInt32) -> Bool {
      let order = Predicate.order(table.buckets[Int(bucket)].value, value)
      return order < 0 || (after && order == 0)
    }
    let run = runs.partitionPoint { isBefore($0[$0.count - 1]) }
    return run == runs.count ? (run, 0) : (run, runs[run].partitionPoint(isBefore))
  }

  private mutating func split(_ run: Int) {
    let count = runs[run].count
    guard count > Self.runCountMax else { return }
    // Ascending insertion fills its runs; any other leaves room in both halves.
    let upper = Array(runs[run][(count / 2)...])
    runs[run].removeSubrange((count / 2)...)
    runs.insert(upper, at: run + 1)
  }
}

extension Array {
  /// The index of the first element for which `isBefore` is false; it is true for all before.
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

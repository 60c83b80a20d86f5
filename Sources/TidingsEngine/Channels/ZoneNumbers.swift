internal import TidingsModel

/// Short numbers of the zones that query channels name, for as long as they do.
struct ZoneNumbers {
  private struct Use {
    let zone: ZoneID
    var count: Int
  }

  private var numbers: [ZoneID: Int64] = [:]
  private var uses: [Int64: Use] = [:]
  private var last: Int64 = 0

  /// The number of a zone; 0: no channel names it.
  subscript(zone: ZoneID) -> Int64 { numbers[zone] ?? 0 }

  /// A channel names a zone.
  ///
  /// - Returns: The number.
  mutating func take(_ zone: ZoneID) -> Int64 {
    if let known = numbers[zone] {
      uses[known]?.count += 1
      return known
    }
    last += 1
    numbers[zone] = last
    uses[last] = Use(zone: zone, count: 1)
    return last
  }

  /// A channel names a zone no longer; 0: it named none.
  mutating func release(_ number: Int64) {
    guard let use = uses[number] else { return }
    guard use.count == 1 else {
      uses[number]?.count -= 1
      return
    }
    uses[number] = nil
    numbers[use.zone] = nil
  }
}

package import TidingsMetrics
public import TidingsRPC

/// What a call's token carries for whoever measures it: plain numbers.
struct CallMark: Sendable {
  /// When it came, by `monotonicNanoseconds`.
  var started: Int64
  /// The number of its method in `CallMetrics`; 0: a method that this server does not have.
  var method: UInt16 = 0
  /// The number of its `ObservedCall`; 0: it is not observed.
  var observed: UInt32 = 0
}

/// Answered calls by method and status code, and how long they took.
///
/// Noting one costs a few additions to memory that is there: a series begins with the first call of a method that ends
/// with a code.
public struct CallMetrics: Sendable {
  /// Status codes; others count as the last.
  private static let codeCount = Int(StatusCode.unauthenticated.rawValue) + 1

  /// Calls of one method that ended with one code.
  public struct Series: Sendable {
    /// `nil`: a method that this server does not have.
    public let method: MethodDescriptor?
    /// How they ended.
    public let code: StatusCode
    fileprivate let histogram: Int
  }

  private var methods: [MethodDescriptor?] = [nil]
  private var numbers: [String: UInt16] = [:]
  /// Of each method and code: one more than the index of its series; 0: there is none.
  private var indexes = [UInt16](repeating: 0, count: codeCount)
  private var histograms = HistogramTable(.durations)
  /// What there is, in the order of its first calls.
  public private(set) var series: [Series] = []

  /// The number of a method, the same at each registration.
  mutating func number(of method: MethodDescriptor) -> UInt16 {
    if let known = numbers[method.fullName] { return known }
    let number = UInt16(methods.count)
    methods.append(method)
    numbers[method.fullName] = number
    indexes += [UInt16](repeating: 0, count: Self.codeCount)
    return number
  }

  /// A method by its number.
  func method(_ number: UInt16) -> MethodDescriptor? { methods[Int(number)] }

  /// A call was answered.
  mutating func note(_ method: UInt16, _ code: StatusCode, nanoseconds: UInt64) {
    let place =
      Int(method) * Self.codeCount + min(Int(truncatingIfNeeded: code.rawValue), Self.codeCount - 1)
    if indexes[place] == 0 { begin(method, code, at: place) }
    histograms.note(nanoseconds, in: Int(indexes[place]) - 1)
  }

  private mutating func begin(_ method: UInt16, _ code: StatusCode, at place: Int) {
    let histogram = histograms.addSeries()
    series.append(Series(method: methods[Int(method)], code: code, histogram: histogram))
    indexes[place] = UInt16(series.count)
  }

  /// How long the calls of a series took.
  package func durations(of series: Series) -> HistogramSnapshot {
    histograms.snapshot(series.histogram)
  }
}

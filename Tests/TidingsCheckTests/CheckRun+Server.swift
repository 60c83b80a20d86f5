import CheckCore
import Foundation
import TestSupport
import TidingsClient

extension CheckSettings {
  /// A run of some hundred calls of each workload.
  init(
    _ endpoints: [String],
    workloads: [WorkloadName] = WorkloadName.allCases,
    calls: Int = 500,
    fault: Fault? = nil,
    seed: UInt64
  ) {
    var client = ClientConfiguration(endpoints: endpoints)
    client.user = "checker"
    client.timeout = .seconds(20)
    client.connectTimeout = .seconds(5)
    self.init(client: client, seed: seed)
    // The number of calls ends it: the machine may have other work.
    duration = .seconds(300)
    patience = .seconds(120)
    callsMax = calls
    self.workloads = workloads
    self.fault = fault
  }

  /// A run of all workloads under faults: of so many calls of each, or of `TIDINGS_CHECK_SECONDS`.
  static func underFaults(_ endpoints: [String], calls: Int, seed: UInt64) -> Self {
    var settings = Self(endpoints, calls: secondsGiven == 0 ? calls : 1_000_000, seed: seed)
    if secondsGiven > 0 { settings.duration = .seconds(secondsGiven) }
    return settings
  }

  /// `TIDINGS_CHECK_SECONDS`, or 0.
  static let secondsGiven =
    ProcessInfo.processInfo.environment["TIDINGS_CHECK_SECONDS"].flatMap(Double.init) ?? 0
}

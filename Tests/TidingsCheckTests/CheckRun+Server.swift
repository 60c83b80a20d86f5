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

  /// How long a run under kills takes: `TIDINGS_CHECK_SECONDS`, or so long.
  static func seconds(_ usual: Double) -> Duration {
    let given = ProcessInfo.processInfo.environment["TIDINGS_CHECK_SECONDS"].flatMap(Double.init)
    return .seconds(given ?? usual)
  }
}

package import TidingsClient

/// What a run does, and where.
package struct CheckSettings: Sendable {
  /// The endpoints, the keys and the user; devices are chosen by the workloads.
  package var client: ClientConfiguration
  /// How long calls are made, without preparations and final reads.
  package var duration = Duration.seconds(10)
  /// Most calls of each workload; what is kept in memory is proportional to it.
  package var callsMax = 10_000
  /// Processes of each workload.
  package var clients = 5
  /// Repeats the choices of a run.
  package var seed: UInt64
  package var workloads = WorkloadName.allCases
  package var fault: Fault?
  /// Ends the calls of a workload early, as the end of `duration` does; asked before each call, with how many there were.
  package var isInterrupted: @Sendable (WorkloadName, _ callCount: Int) -> Bool = { _, _ in false }
  /// How long a final read is repeated without success.
  package var patience = Duration.seconds(60)

  package init(client: ClientConfiguration, seed: UInt64) {
    self.client = client
    self.seed = seed
  }
}

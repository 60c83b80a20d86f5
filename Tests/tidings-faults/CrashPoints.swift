#if DEBUG
internal import DiskModel
internal import Glibc
internal import RandomSupport
internal import TidingsModel

/// One life, and a power loss before and after each of its syncs.
struct CrashPoints {
  private(set) var syncs = 0
  private(set) var losses = 0

  /// Lives one life, then loses it at each point.
  ///
  /// - Parameters:
  ///   - simulation: Whose next life.
  ///   - folder: For what is left.
  ///   - seed: Decides what is kept.
  ///   - steps: Turns of the server.
  /// - Throws: What does not hold.
  mutating func run(_ simulation: Simulation, in folder: String, seed: UInt64, steps: Int) throws {
    var random = SplitMix64(seed: seed)
    let (disk, entries) = try simulation.record(steps: steps)
    var mark = 0
    for (index, entry) in entries.enumerated() {
      if case .synced = entry {
        syncs += 1
        for manner in [PowerLoss.Manner.nothing, .any] {
          try lose(simulation, disk, manner, mark, index, folder, &random)
        }
      }
      disk.apply(entry)
      if case .mark(let number) = entry {
        mark = Int(number)
        try lose(simulation, disk, .nothing, mark, index + 1, folder, &random)
      }
    }
  }

  private mutating func lose(
    _ simulation: Simulation,
    _ disk: SimulatedDisk,
    _ manner: PowerLoss.Manner,
    _ mark: Int,
    _ end: Int,
    _ folder: String,
    _ random: inout SplitMix64
  ) throws {
    losses += 1
    let path = folder + "/left"
    defer { Simulation.remove(path) }
    let loss = PowerLoss(
      manner,
      sectorBytes: random.pick(PowerLoss.sectorSizes),
      end: end,
      random: random.fork()
    )
    try disk.write(after: loss, to: path)
    do {
      try simulation.verify(path, mark: mark)
    } catch {
      throw Failure("power loss at entry \(end), \(loss): \(error)")
    }
  }
}
#endif

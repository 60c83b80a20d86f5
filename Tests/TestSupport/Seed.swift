internal import Foundation

/// The seed of a randomized test: printed, and taken from TIDINGS_SEED to repeat a run.
public enum Seed {
  public static func make(_ test: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["TIDINGS_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 1...UInt64.max)
    print("\(test): TIDINGS_SEED=\(seed)")
    return seed
  }
}

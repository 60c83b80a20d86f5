#if DEBUG
internal import CommandLineTools
internal import Glibc
internal import RandomSupport

/// The verbs of `tidings-faults`.
enum Program {
  private static let name = "tidings-faults"
  private static let summary =
    "Breaks the disk beneath a server in one process, and checks that what was acknowledged is kept."

  private static let seed = OptionKey<String?>(
    "seed",
    value: "N",
    "repeats a run (default: random)"
  )
  private static let rounds = OptionKey<Int>(
    "rounds",
    value: "N",
    default: 10,
    in: 0...1_000_000_000,
    "runs, each with a seed of its own; 0: until one fails"
  )
  private static let lives = OptionKey<Int>(
    "lives",
    value: "N",
    default: 8,
    in: 1...1_000,
    "lives of the server in a run; each ends with its process or with the power"
  )
  private static let after = OptionKey<Int>(
    "after",
    value: "N",
    default: 0,
    in: 0...1_000,
    "lives before that run, which fill the disk"
  )
  private static let steps = OptionKey<Int>(
    "steps",
    value: "N",
    default: 60,
    in: 1...100_000,
    "turns of the server"
  )
  private static let folder = OptionKey<String?>(
    "folder",
    value: "FOLDER",
    completion: .folders,
    "where the disks are (default: shared memory)"
  )
  private static let verbose = OptionKey<Bool>(flag: "verbose", letter: "v", "print each step")
  private static let helpFlag = OptionKey<Bool>(flag: "help", letter: "h", "show this help")

  private static let runCommand = Command(
    "run",
    "Lets a server live on a disk that fails, and ends its process or the power, again and again",
    options: [Option](of: rounds, lives)
  )
  private static let pointsCommand = Command(
    "points",
    "Loses the power before and after each sync of one run",
    options: [Option](of: steps, after)
  )
  private static let commands = [runCommand, pointsCommand]
  private static let common = [Option](of: seed, folder, verbose, helpFlag)

  /// Runs a command line.
  ///
  /// - Returns: Whether all is well.
  static func run(_ arguments: [String]) throws -> Bool {
    let parsed = try ParsedArguments(
      arguments,
      options: commands.flatMap(\.options) + common,
      environment: [:],
      prefix: "TIDINGS_FAULTS"
    )
    let verb = parsed.operands.first
    switch parsed[helpFlag] ? nil : verb {
    case runCommand.name: return try simulate(parsed)
    case pointsCommand.name: return try losePower(parsed)
    case nil:
      say("\(name): \(summary)\n")
      for command in commands { say("  \(command.name)  \(command.summary)") }
      return true
    case let other?: throw UsageError("unknown verb '\(other)'")
    }
  }

  private static func firstSeed(_ parsed: ParsedArguments) throws(UsageError) -> UInt64 {
    guard let text = parsed[seed] else { return .random(in: 1...UInt64(UInt32.max)) }
    guard let number = UInt64(text) else {
      throw UsageError("--seed takes a whole number, not '\(text)'")
    }
    return number
  }

  private static func simulate(_ parsed: ParsedArguments) throws -> Bool {
    let first = try firstSeed(parsed)
    // The other clocks show the time of the simulation.
    let started = SuspendingClock.now
    var total = Simulation.Counts()
    var journals: UInt64 = 0
    var round = 0
    while parsed[rounds] == 0 || round < parsed[rounds] {
      let seed = first &+ UInt64(round)
      do {
        try withFolder(parsed) { path in
          let simulation = try Simulation(in: path, seed: seed, verbose: parsed[verbose])
          defer { total += simulation.counts }
          for life in 0..<parsed[lives] { try simulation.live(faults: life % 2 == 1) }
          try simulation.finish()
          // In any order: a run is the same in each place.
          journals ^= simulation.journal.value
        }
      } catch {
        say("seed \(seed): \(error)")
        say("again: \(name) run --seed \(seed) --rounds 1 --lives \(parsed[lives]) --verbose")
        return false
      }
      round += 1
    }
    say(
      "\(round) runs from seed \(first) in \(started.duration(to: .now)): \(total); "
        + "journal \(String(journals, radix: 16))"
    )
    return true
  }

  private static func losePower(_ parsed: ParsedArguments) throws -> Bool {
    let seed = try firstSeed(parsed)
    var points = CrashPoints()
    do {
      try withFolder(parsed) { path in
        let simulation = try Simulation(in: path, seed: seed, verbose: parsed[verbose])
        for _ in 0..<parsed[after] { try simulation.live(faults: false) }
        try points.run(simulation, in: path, seed: seed, steps: parsed[steps])
      }
    } catch {
      say("seed \(seed): \(error)")
      return false
    }
    say("\(points.losses) power losses at \(points.syncs) syncs, seed \(seed)")
    return true
  }

  private static func withFolder(_ parsed: ParsedArguments, _ body: (String) throws -> Void) throws
  {
    let parent = parsed[folder] ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
    let path = "\(parent)/tidings-faults-\(getpid())"
    guard mkdir(path, 0o700) == 0 else { throw Failure("cannot create \(path)") }
    defer { Simulation.remove(path) }
    try body(path)
  }
}

extension Simulation.Counts: CustomStringConvertible {
  var description: String {
    "\(lives) lives, \(powerLosses) power losses, \(crashes) ended processes, \(calls) calls, "
      + "\(faults) faults, \(failedSyncs) failed syncs, "
      + "\(refusedStarts) failed starts, \(flippedBits) flipped bits"
  }

  static func += (total: inout Self, part: Self) {
    total.lives += part.lives
    total.powerLosses += part.powerLosses
    total.crashes += part.crashes
    total.calls += part.calls
    total.faults += part.faults
    total.failedSyncs += part.failedSyncs
    total.refusedStarts += part.refusedStarts
    total.flippedBits += part.flippedBits
  }
}
#endif

import BenchCore

/// How a run is made.
struct BenchSettings {
  /// Rounds of each measurement; the medians are reported.
  var rounds = 7
  /// Calls of a measurement with one in flight; ten times as many with more.
  var calls = 4_000
  /// Calls before the first round of each measurement.
  var warmup = 1_000
  var connections = [1, 64]
  var inFlight = [1, 64, 1024]
  /// What `save` saves.
  var saves = SaveVariant.allCases
  /// Subscriptions that each save of `save.fired` fires.
  var fired = 1
  /// Indexes of the type of `save.indexed`.
  var indexes = 1
  /// The rate of an open loop; `nil`: closed loops.
  var openLoop: OpenLoopRate?
  /// How long an open loop goes on.
  var seconds = 60
  /// Sizes of the index in `match` and `start`.
  var subscriptions = [1_000, 10_000, 100_000, 1_000_000]
  /// Records in `query`.
  var records = 1_000_000
  /// Stored notifications in `catchup`.
  var notifications = 1_000_000
  /// Which calls `turns` makes: those whose names begin with it.
  var turns = ""
  /// The address of a PostgreSQL server's database; empty: there is none to measure.
  var database = ""
  /// How much later what is sent to it, or by it, arrives.
  var databaseDelay = Duration.zero
  /// The server's program.
  var rpcd = ""
  /// The web gateway's program.
  var rpcgw = ""
  /// Where temporary folders go.
  var data = "."
  /// This program.
  var program = ""

  /// What the cases that compare calls with a baseline run with.
  var loads: [Load] { Load.all(connections: connections, inFlight: inFlight) }

  /// With more in flight a call takes less time.
  func calls(inFlight: Int) -> Int { inFlight == 1 ? calls : calls * 10 }
}

/// All that one run of the benchmark found out.
public struct Report: JSONDocument, Hashable, Sendable {
  /// Where and with what it ran.
  public var machine: Machine
  /// How it ran.
  public var settings: [String: String]
  /// What was measured, in order.
  public var figures: [Figure]
  /// Sentences that a reader of the figures needs.
  public var notes: [String]

  /// A report from its parts.
  public init(
    machine: Machine,
    settings: [String: String],
    figures: [Figure],
    notes: [String]
  ) {
    self.machine = machine
    self.settings = settings
    self.figures = figures
    self.notes = notes
  }
}

/// The machine and the libraries of a run.
public struct Machine: Codable, Hashable, Sendable {
  /// The processor's name.
  public var processor: String
  /// Processors in use.
  public var cores: Int
  /// The kernel's name and release.
  public var kernel: String
  /// `release` or `debug`.
  public var build: String
  /// The version of libzmq.
  public var zeroMQ: String
  /// The version of SQLite.
  public var sqlite: String
  /// When the run ended, in UTC.
  public var date: String

  /// A machine from its parts.
  public init(
    processor: String,
    cores: Int,
    kernel: String,
    build: String,
    zeroMQ: String,
    sqlite: String,
    date: String
  ) {
    self.processor = processor
    self.cores = cores
    self.kernel = kernel
    self.build = build
    self.zeroMQ = zeroMQ
    self.sqlite = sqlite
    self.date = date
  }
}

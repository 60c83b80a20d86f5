import BenchCore

extension Comparison {
  /// What is to be reached, by load.
  struct Targets {
    /// For the ratio to the baseline.
    var ratio: [Load: Double] = [:]
    /// For the server's processor time of a call, in microseconds.
    var processor: [Load: Double] = [:]
  }

  /// A pair's figures for each load: the comparison, then the server's processor time.
  ///
  /// With one call in flight the latency is compared, with more the rate.
  func figures(_ name: String, _ targets: Targets) -> [Figure] {
    loads.flatMap { load in
      guard let rounds = rounds(name, load) else { return [Figure]() }
      let comparison = Figure(
        name: name + load.suffix,
        connections: load.connections,
        inFlight: load.inFlight,
        measured: Measurement(medianOf: rounds.measured),
        baseline: Measurement(medianOf: rounds.baseline),
        score: load.inFlight == 1
          ? .latency(rounds.measured, against: rounds.baseline, target: targets.ratio[load])
          : .rate(rounds.measured, against: rounds.baseline, target: targets.ratio[load])
      )
      guard let target = targets.processor[load] else { return [comparison] }
      let processor = processorFigure(
        "\(name).processor",
        load,
        unit: "µs of the server a call",
        target: target,
        rounds.measured.map { $0.processor?.server ?? .infinity }
      )
      return [comparison, processor]
    }
  }

  /// What a pair's calls cost the server more than another pair's, for each of so many things.
  func additionFigures(
    _ name: String,
    over other: String,
    count: Int,
    of thing: String,
    target: Double
  ) -> [Figure] {
    loads.filter { $0.inFlight > 1 }.compactMap { load in
      guard let more = rounds(name, load), let less = rounds(other, load) else { return nil }
      return processorFigure(
        "\(name).added",
        load,
        unit: "µs of the server \(thing)",
        target: target,
        zip(more.measured, less.measured).compactMap { more, less in
          guard let more = more.processor?.server, let less = less.processor?.server else {
            return nil
          }
          return (more - less) / Double(count)
        }
      )
    }
  }

  private func processorFigure(
    _ name: String,
    _ load: Load,
    unit: String,
    target: Double,
    _ rounds: [Double]
  ) -> Figure {
    Figure(
      name: name + load.suffix,
      connections: load.connections,
      inFlight: load.inFlight,
      score: Score(rounds: rounds, unit: unit, .atMost, target: target)
    )
  }
}

/// Decides whether a server passed a soak.
struct SoakVerdict {
  private let report: SoakReport
  private var tolerance: SoakTolerance { report.tolerance }

  init(_ report: SoakReport) { self.report = report }

  /// A sentence for each thing that is not as it should be.
  var findings: [String] {
    SoakQuantity.all.compactMap(growth) + slowdowns + missing + absent + remains + failures
  }

  private func growth(_ quantity: SoakQuantity) -> String? {
    guard let trend = report.trends[quantity.name] else {
      return "\(quantity.name) was not measured"
    }
    let growth = tolerance[keyPath: quantity.tolerance]
    guard !growth.allows(trend) else { return nil }
    func text(_ value: Double) -> String {
      Decimal.text(value / quantity.scale) + (quantity.unit.isEmpty ? "" : " " + quantity.unit)
    }
    return "\(quantity.name) grew by \(text(trend.growth)) (accepted: \(text(growth.limit(trend)))"
      + ", greatest \(text(trend.greatest))"
      + (growth.most.map { ", accepted: " + text($0) } ?? "") + ")"
  }

  private var slowdowns: [String] {
    guard let most = tolerance.ratio else { return [] }
    return report.rows.compactMap { row in
      guard let activity = row.activity, let ratios = report.ratios(of: row), ratios.median > most
      else { return nil }
      return
        "p99 of \(row.kind) during \(activity.rawValue) is \(Decimal.text(ratios.median)) times"
        + " that without (accepted: \(Decimal.text(most)); median of \(ratios.count),"
        + " greatest \(Decimal.text(ratios.greatest)))"
    }
  }

  /// Activities that had too few calls beside them for any kind, or did not happen.
  private var missing: [String] {
    SoakActivity.compared.compactMap { activity in
      guard report.completed[activity.rawValue, default: 0] > 0 else {
        return "\(activity.rawValue) did not happen"
      }
      guard tolerance.ratio != nil else { return nil }
      guard
        !report.rows.contains(where: { $0.activity == activity && !$0.comparisons.isEmpty })
      else { return nil }
      return "too few calls during \(activity.rawValue) to compare their p99"
    }
  }

  /// Kinds of calls of which there were far too few for what is said of the others.
  private var absent: [String] {
    report.rates.sorted { $0.key < $1.key }.compactMap { kind, rate in
      let (count, due) = (report.counts[kind, default: 0], rate * report.seconds)
      guard Double(count) < due * tolerance.callsPart else { return nil }
      return "of \(Decimal.grouped(due)) × \(kind) there were \(count)"
    }
  }

  private var remains: [String] {
    report.releases.filter { !$0.isEnough(tolerance) }.map { release in
      "after the deletion of \(SoakReport.mebibytes(release.full - release.before))"
        + " the database file was still \(SoakReport.mebibytes(release.after - release.before))"
        + " larger than before, \(Decimal.text(release.seconds)) s later"
    }
  }

  private var failures: [String] {
    report.failures.sorted { $0.key < $1.key }.map { "\($0.value) × failed: \($0.key)" }
  }
}

extension SoakReport {
  /// How many times the p99 without any activity the p99 of a row was in each round; `nil` if that says nothing.
  func ratios(of row: SoakRow) -> SoakRatios? { SoakRatios(row.comparisons, tolerance) }

  static func mebibytes(_ bytes: Double) -> String {
    Decimal.text(bytes / Double(1 << 20)) + " MiB"
  }
}

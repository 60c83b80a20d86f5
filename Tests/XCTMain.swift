import Testing

/// Runs the tests, all of which are of Swift Testing.
///
/// With it no tests of XCTest are looked for, which needs an index of all sources.
@main struct Runner {
  static func main() async {
    // `swift test` runs this once for each library.
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "watcher",
  dependencies: [
    // Where the Tidings package is.
    .package(name: "tidings", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "watcher",
      dependencies: [.product(name: "TidingsClient", package: "tidings")]
    )
  ]
)

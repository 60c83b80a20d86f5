// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "houses",
  dependencies: [
    // Where the Tidings package is.
    .package(name: "tidings", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "houses",
      dependencies: [
        .product(name: "TidingsClient", package: "tidings"),
        .product(name: "TidingsProto", package: "tidings"),
      ]
    )
  ]
)

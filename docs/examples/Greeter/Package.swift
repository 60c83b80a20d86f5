// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "greeter",
  dependencies: [
    // Where the Tidings package is.
    .package(name: "tidings", path: "../../..")
  ],
  targets: [
    // Generated: the C structs, and the Swift values and stubs.
    .target(name: "GreeterProtoC"),
    .target(
      name: "GreeterProto",
      dependencies: ["GreeterProtoC", .product(name: "TidingsRPC", package: "tidings")]
    ),
    // Written by hand.
    .executableTarget(
      name: "greeter",
      dependencies: ["GreeterProto", .product(name: "TidingsRPC", package: "tidings")],
      path: "Sources/Greeter"
    ),
  ]
)

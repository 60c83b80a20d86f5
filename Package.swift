// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// What the build of the tools (`tools/common.bash`) optimizes: where a server, and a client that measures it, spend their time.
///
/// To optimize the rest, tests above all, takes longer than it saves.
let optimized: Set = [
  "TidingsClient", "TidingsCodec", "TidingsEngine", "TidingsFiles", "TidingsJSON",
  "TidingsMatcher", "TidingsMetrics", "TidingsModel", "TidingsProto", "TidingsProtobuf",
  "TidingsRPC", "TidingsSQL", "TidingsSQLite", "TidingsService", "TidingsThreads", "TidingsWire",
  "TidingsZeroMQ", "tidings-bench",
]
let isBuildOfTools = Context.environment["TIDINGS_BUILD"] == "tools"

func settings(of name: String) -> [SwiftSetting] {
  isBuildOfTools && !optimized.contains(name) ? settings + [.unsafeFlags(["-Onone"])] : settings
}

func library(
  _ name: String,
  exclude: [String] = [],
  _ dependencies: Target.Dependency...
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    exclude: exclude,
    swiftSettings: settings(of: name)
  )
}

func executable(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings(of: name))
}

func testSupport(
  _ name: String,
  exclude: [String] = [],
  _ dependencies: Target.Dependency...
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Tests/\(name)",
    exclude: exclude,
    swiftSettings: settings(of: name)
  )
}

func tests(
  _ name: String,
  exclude: [String] = [],
  _ dependencies: Target.Dependency...
) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    path: "Tests/\(name)",
    exclude: exclude,
    swiftSettings: settings(of: name)
  )
}

/// What needs libpq is left out of a build with --disable-default-traits.
let postgreSQL = "PostgreSQL"

let package = Package(
  name: "tidings",
  products: [
    .executable(name: "rpcd", targets: ["rpcd"]),
    .executable(name: "rpcctl", targets: ["rpcctl"]),
    .executable(name: "rpcgw", targets: ["rpcgw"]),
    .executable(name: "rpcdeliver", targets: ["rpcdeliver"]),
    .executable(name: "tidings-bench", targets: ["tidings-bench"]),
    .executable(name: "tidings-check", targets: ["tidings-check"]),
    .executable(name: "tidings-conformance", targets: ["tidings-conformance"]),
    .executable(name: "tidings-conformance-client", targets: ["tidings-conformance-client"]),
    .executable(name: "protoc-gen-tidings-swift", targets: ["protoc-gen-tidings-swift"]),
    .executable(name: "protoc-gen-tidings-c", targets: ["protoc-gen-tidings-c"]),
    .executable(name: "protoc-gen-tidings-python", targets: ["protoc-gen-tidings-python"]),
    .library(name: "TidingsClient", targets: ["TidingsClient"]),
    .library(name: "TidingsKit", targets: ["TidingsKit"]),
    .library(name: "CloudKit", targets: ["CloudKit", "CoreLocation"]),
    .library(name: "TidingsProto", targets: ["TidingsProto", "TidingsProtoC"]),
    .library(name: "TidingsRPC", targets: ["TidingsRPC", "TidingsProtobuf", "TidingsZeroMQ"]),
  ],
  traits: [
    .trait(name: postgreSQL, description: "The driver for PostgreSQL, which needs libpq."),
    .default(enabledTraits: [postgreSQL]),
  ],
  targets: [
    // Floor 0: C.
    .systemLibrary(name: "CZeroMQ"),
    .systemLibrary(name: "CProtobufC"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CPostgres"),
    .systemLibrary(name: "CMicroHTTPD"),
    .systemLibrary(name: "CGnuTLS"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CCrypto"),
    // Generated code asserts the types of its arguments, which Swift checks.
    .target(name: "TidingsProtoC", dependencies: ["CProtobufC"], cSettings: [.define("NDEBUG")]),
    .target(name: "DescriptorProtoC", dependencies: ["CProtobufC"]),
    .target(name: "CZMTPFilter"),
    .target(name: "CWebFiles"),
    .target(name: "CHTTPRefusals"),
    .systemLibrary(name: "CThreads"),
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(name: "CTerminal"),
    .target(name: "CStoreVFS", linkerSettings: [.linkedLibrary("sqlite3")]),

    library("TidingsThreads", "CThreads"),
    library("TidingsWire"),
    library("TidingsMetrics"),
    library("TidingsMemory"),

    // Domain wing.
    library("TidingsModel"),
    library("TidingsFiles", "CSodium"),
    library("TidingsSeal", "CSodium"),
    library("TidingsKeys", "TidingsFiles", "CSodium"),
    library("TidingsEncryption", "TidingsFiles", "CSodium"),
    library("TidingsMatcher", "TidingsModel"),
    library("TidingsSQL"),
    library(
      "TidingsSQLite",
      "TidingsFiles",
      "TidingsSQL",
      "TidingsThreads",
      "CSQLite",
      "CStoreVFS"
    ),
    library(
      "TidingsPostgres",
      "TidingsSQL",
      "TidingsThreads",
      .target(name: "CPostgres", condition: .when(traits: [postgreSQL]))
    ),
    library(
      "TidingsEngine",
      "TidingsCodec",
      "TidingsMemory",
      "TidingsModel",
      "TidingsMatcher",
      "TidingsSQL",
      "TidingsSeal",
      "TidingsEncryption",
      "TidingsKeys",
      "TidingsWire",
      "CSodium"
    ),

    // Wire wing.
    library("TidingsProtobuf", "TidingsWire", "CProtobufC"),
    library("TidingsRPC", "TidingsMemory", "TidingsProtobuf", "TidingsWire"),
    library("TidingsProto", "TidingsProtobuf", "TidingsRPC", "TidingsProtoC"),
    library("TidingsJSON", "TidingsWire"),
    library("TidingsLogging", "TidingsJSON"),
    library("TidingsBackup", "TidingsFiles", "TidingsJSON"),
    library("TidingsAudit", "TidingsFiles"),
    library("TidingsUserInfo", "TidingsJSON", "TidingsProto", "TidingsProtobuf"),
    library(
      "TidingsZeroMQ",
      "TidingsKeys",
      "TidingsMemory",
      "TidingsMetrics",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsThreads",
      "TidingsWire",
      "CZMTPFilter",
      "CZeroMQ"
    ),
    library(
      "TidingsClient",
      "TidingsEncryption",
      "TidingsFiles",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsWire",
      "TidingsZeroMQ"
    ),

    library(
      "TidingsKit",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsUserInfo"
    ),

    // TidingsKit in the names of Apple's modules.
    library("CloudKit", "TidingsKit"),
    library("CoreLocation", "TidingsKit"),

    // HTTP.
    library("TidingsHTTP", "CHTTPRefusals", "CMicroHTTPD"),
    library("TidingsOperator", "TidingsHTTP", "TidingsMetrics"),
    library(
      "TidingsTracing",
      "CCurl",
      "TidingsHTTP",
      "TidingsMetrics",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsThreads"
    ),
    library(
      "TidingsWeb",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC"
    ),
    library(
      "TidingsGateway",
      exclude: ["Web"],
      "CWebFiles",
      "CGnuTLS",
      "TidingsClient",
      "TidingsFiles",
      "TidingsHTTP",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsLogging",
      "TidingsMetrics",
      "TidingsOperator",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsTracing",
      "TidingsUserInfo",
      "TidingsWeb",
      "TidingsZeroMQ"
    ),

    // Senders.
    library(
      "TidingsDelivery",
      "CCrypto",
      "CCurl",
      "TidingsClient",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsThreads",
      "TidingsUserInfo"
    ),

    // Where the wings meet.
    library(
      "TidingsCodec",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSQL",
      "TidingsWire",
      "TidingsProtoC",
      "CProtobufC"
    ),
    library(
      "TidingsService",
      "TidingsAudit",
      "TidingsBackup",
      "TidingsCodec",
      "TidingsEncryption",
      "TidingsEngine",
      "TidingsFiles",
      "TidingsHTTP",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsLogging",
      "TidingsMemory",
      "TidingsMetrics",
      "TidingsModel",
      "TidingsOperator",
      "TidingsPostgres",
      "TidingsSQL",
      "TidingsSQLite",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsUserInfo",
      "TidingsSeal",
      "TidingsThreads",
      "TidingsTracing",
      "TidingsWire",
      "TidingsZeroMQ",
      "TidingsProtoC"
    ),

    // Programs.
    library("CommandLineTools"),
    executable(
      "rpcd",
      "CAllocator",
      "CommandLineTools",
      "TidingsEngine",
      "TidingsFiles",
      "TidingsHTTP",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsLogging",
      "TidingsPostgres",
      "TidingsProtobuf",
      "TidingsSQLite",
      "TidingsService",
      "TidingsTracing",
      "TidingsZeroMQ"
    ),
    executable(
      "rpcgw",
      "CommandLineTools",
      "TidingsClient",
      "TidingsGateway",
      "TidingsHTTP",
      "TidingsKeys",
      "TidingsLogging",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsTracing",
      "TidingsZeroMQ"
    ),
    executable(
      "rpcdeliver",
      "CommandLineTools",
      "TidingsClient",
      "TidingsDelivery",
      "TidingsKeys",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsZeroMQ"
    ),
    executable(
      "rpcctl",
      "BenchStatistics",
      "CTerminal",
      "CommandLineTools",
      "TidingsAudit",
      "TidingsBackup",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsWire",
      "TidingsZeroMQ"
    ),
    library("BenchStatistics"),
    library("BenchCore", "BenchStatistics", "TidingsWire"),
    executable(
      "tidings-bench",
      "BenchCore",
      "CommandLineTools",
      "TidingsClient",
      "TidingsEngine",
      "TidingsKeys",
      "TidingsKit",
      "TidingsMatcher",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsSQL",
      "TidingsSQLite",
      "TidingsService",
      "TidingsThreads",
      "TidingsZeroMQ",
      "CZeroMQ",
      "CSQLite"
    ),

    // How a running server is checked.
    library("CheckCore", "TidingsClient", "TidingsJSON", "TidingsProto", "TidingsRPC"),
    executable(
      "tidings-check",
      "CheckCore",
      "CommandLineTools",
      "TidingsClient",
      "TidingsKeys",
      "TidingsProto"
    ),

    // How clients in any language are tested.
    library("TidingsInterop", "TidingsRPC"),
    library("ConformanceWire"),
    library(
      "ConformanceCore",
      "ConformanceWire",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsInterop",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsThreads",
      "TidingsZeroMQ",
      "CZeroMQ"
    ),
    executable("tidings-conformance", "CommandLineTools", "ConformanceCore"),
    executable(
      "tidings-conformance-client",
      "ConformanceWire",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsZeroMQ"
    ),

    // The generator.
    library("ProtoGen", "DescriptorProtoC", "CProtobufC"),
    executable("protoc-gen-tidings-swift", "ProtoGen"),
    executable("protoc-gen-tidings-c", "ProtoGen"),
    executable("protoc-gen-tidings-python", "ProtoGen"),

    // Tests.
    .target(
      name: "GeneratedFixtureC",
      dependencies: ["TidingsProtoC", "CProtobufC"],
      path: "Tests/GeneratedFixtureC"
    ),
    testSupport(
      "GeneratedFixture",
      "GeneratedFixtureC",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC"
    ),
    testSupport("RPCTestSupport", "TidingsInterop", "TidingsRPC"),
    testSupport("RandomSupport", "TidingsModel"),
    // A disk that fails: in C, beneath whatever uses files, and as a value.
    .target(name: "CFaultDisk", path: "Tests/CFaultDisk"),
    testSupport("DiskModel", "RandomSupport"),
    .executableTarget(
      name: "tidings-kit-traces",
      dependencies: ["TidingsKit"],
      path: "Tests/tidings-kit-traces",
      swiftSettings: settings(of: "tidings-kit-traces")
    ),
    .executableTarget(
      name: "tidings-faults",
      dependencies: [
        "CFaultDisk", "CSQLite", "CStoreVFS", "CommandLineTools", "DiskModel", "RandomSupport",
        "TidingsAudit", "TidingsCodec", "TidingsEngine", "TidingsFiles", "TidingsKeys",
        "TidingsLogging",
        "TidingsModel", "TidingsSQL", "TidingsSQLite", "TidingsService",
      ],
      path: "Tests/tidings-faults",
      swiftSettings: settings(of: "tidings-faults")
    ),
    testSupport("PostgresTestSupport", "TidingsPostgres", "TidingsSQL"),
    testSupport(
      "TestSupport",
      "PostgresTestSupport",
      "RPCTestSupport",
      "RandomSupport",
      "TidingsClient",
      "TidingsKeys",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSQL",
      "TidingsSQLite",
      "TidingsThreads",
      "TidingsWire",
      "CSodium",
      "CZeroMQ"
    ),
    testSupport(
      "EngineTestSupport",
      "PostgresTestSupport",
      "TestSupport",
      "TidingsCodec",
      "TidingsEngine",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsSQL",
      "TidingsSQLite"
    ),
    testSupport(
      "FuzzTargets",
      "CommandLineTools",
      "TidingsAudit",
      "TidingsBackup",
      "TidingsCodec",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsEngine",
      "TidingsGateway",
      "TidingsHTTP",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsKit",
      "TidingsLogging",
      "TidingsMatcher",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsService",
      "TidingsSQLite",
      "TidingsWeb",
      "CZeroMQ"
    ),
    .executableTarget(
      name: "tidings-fuzz",
      dependencies: ["FuzzTargets"],
      path: "Tests/tidings-fuzz",
      swiftSettings: settings(of: "tidings-fuzz")
    ),
    tests(
      "FuzzTests",
      "FuzzTargets",
      "RandomSupport",
      "TestSupport",
      "TidingsBackup",
      "TidingsEncryption",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "rpcctl"
    ),
    tests("CommandLineToolsTests", "CommandLineTools"),
    tests("BenchStatisticsTests", "BenchStatistics", "RandomSupport"),
    testSupport("VectorSupport", "TidingsJSON"),
    tests(
      "ConformanceTests",
      "ConformanceCore",
      "ConformanceWire",
      "TestSupport",
      "TidingsJSON",
      "VectorSupport"
    ),
    tests(
      "rpcctlTests",
      exclude: ["Snapshots"],
      "rpcctl",
      "BenchStatistics",
      "CommandLineTools",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC"
    ),
    tests("rpcdTests", "TestSupport", "TidingsClient", "TidingsProto", "rpcd"),
    tests(
      "LanguageTests",
      exclude: [
        "Help", "JavaScript", "RoundTrip/client.py", "RoundTrip/gateway.py", "RoundTrip/rpcctl.sh",
        "RoundTrip/tidings-js.mjs", "Web",
      ],
      "PostgresTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsKeys",
      "TidingsKit",
      "TidingsProto",
      "TidingsRPC"
    ),
    tests("ProtoGenTests", exclude: ["Protos"], "ProtoGen", "DescriptorProtoC"),
    tests(
      "ScenarioTests",
      "DiskModel",
      "PostgresTestSupport",
      "RPCTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsAudit",
      "TidingsBackup",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsFiles",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsMemory",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsSQL",
      "TidingsSQLite",
      "TidingsZeroMQ",
      "rpcctl"
    ),
    tests(
      "GatewayTests",
      exclude: ["Contract"],
      "PostgresTestSupport",
      "RPCTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsGateway",
      "TidingsHTTP",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsRPC",
      "TidingsWeb"
    ),
    tests(
      "DeliveryTests",
      exclude: ["receiver.py"],
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsDelivery",
      "TidingsJSON",
      "TidingsKeys",
      "TidingsProto",
      "TidingsRPC"
    ),
    tests(
      "TidingsBenchTests",
      "BenchCore",
      "RandomSupport",
      "TestSupport"
    ),
    tests(
      "TidingsCheckTests",
      "CheckCore",
      "PostgresTestSupport",
      "RPCTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsClient"
    ),
    // As programs are that were written for CloudKit.
    .testTarget(
      name: "TidingsKitCompatibilityTests",
      dependencies: ["CloudKit", "CoreLocation", "TestSupport", "TidingsKit"],
      path: "Tests/TidingsKitCompatibilityTests",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
    ),
    tests(
      "TidingsKitTests",
      "CloudKit",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsFiles",
      "TidingsKeys",
      "TidingsKit",
      "TidingsProto",
      "TidingsRPC"
    ),
    tests(
      "TidingsClientTests",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsEncryption",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "VectorSupport"
    ),
    tests(
      "DiskModelTests",
      "DiskModel",
      "RandomSupport",
      "TestSupport",
      "TidingsClient",
      "TidingsProto",
      "TidingsRPC"
    ),
    tests("TidingsLoggingTests", "TidingsLogging"),
    tests("TidingsWireTests", "RandomSupport", "TestSupport", "TidingsWire"),
    tests(
      "TidingsCodecTests",
      "RandomSupport",
      "TestSupport",
      "TidingsCodec",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsWire"
    ),
    tests(
      "TidingsEngineTests",
      "EngineTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsCodec",
      "TidingsEngine",
      "TidingsFiles",
      "TidingsKeys",
      "TidingsMatcher",
      "TidingsMemory",
      "TidingsModel",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsSQL",
      "TidingsSQLite",
      "VectorSupport",
      "CSQLite"
    ),
    tests(
      "TidingsJSONTests",
      "RandomSupport",
      "TidingsJSON",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "VectorSupport"
    ),
    tests("TidingsBackupTests", "RandomSupport", "TestSupport", "TidingsBackup", "TidingsFiles"),
    tests("TidingsAuditTests", "RandomSupport", "TestSupport", "TidingsAudit", "TidingsFiles"),
    tests("TidingsFilesTests", "TestSupport", "TidingsFiles"),
    tests("TidingsKeysTests", "TestSupport", "TidingsKeys", "VectorSupport"),
    tests("TidingsSealTests", "RandomSupport", "TidingsSeal"),
    tests(
      "TidingsEncryptionTests",
      exclude: ["opens.py"],
      "RandomSupport",
      "TestSupport",
      "TidingsEncryption",
      "TidingsFiles"
    ),
    tests("TidingsMatcherTests", "RandomSupport", "TidingsMatcher", "TidingsModel"),
    tests("TidingsModelTests", "RandomSupport", "TidingsModel"),
    tests(
      "TidingsProtobufTests",
      "RandomSupport",
      "TidingsProtobuf",
      "TidingsProto",
      "GeneratedFixture",
      "TidingsWire",
      "CProtobufC"
    ),
    tests("TidingsProtoTests", "TidingsProto", "TidingsProtobuf", "TidingsRPC"),
    tests("TidingsMemoryTests", "TidingsMemory"),
    tests("TidingsRPCTests", "RPCTestSupport", "RandomSupport", "TidingsInterop", "TidingsRPC"),
    tests(
      "TidingsServiceTests",
      "EngineTestSupport",
      "PostgresTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsAudit",
      "TidingsCodec",
      "TidingsEngine",
      "TidingsFiles",
      "TidingsKeys",
      "TidingsLogging",
      "TidingsMatcher",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsSeal",
      "TidingsService",
      "TidingsSQL",
      "TidingsSQLite",
      "TidingsThreads",
      "TidingsTracing",
      "TidingsZeroMQ",
      "CSQLite"
    ),
    tests(
      "TidingsSQLTests",
      "PostgresTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsPostgres",
      "TidingsSQL",
      "TidingsSQLite"
    ),
    tests(
      "TidingsSQLiteTests",
      "RandomSupport",
      "TestSupport",
      "TidingsEngine",
      "TidingsSQL",
      "TidingsSQLite"
    ),
    tests(
      "TidingsPostgresTests",
      "PostgresTestSupport",
      "RandomSupport",
      "TestSupport",
      "TidingsEngine",
      "TidingsModel",
      "TidingsPostgres",
      "TidingsSQL",
      "TidingsSQLite"
    ),
    tests(
      "TidingsUserInfoTests",
      "TidingsJSON",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsUserInfo"
    ),
    tests(
      "TidingsZeroMQTests",
      "RandomSupport",
      "RPCTestSupport",
      "TidingsInterop",
      "TidingsKeys",
      "TidingsMemory",
      "TidingsProto",
      "TidingsProtobuf",
      "TidingsRPC",
      "TidingsZeroMQ",
      "CZMTPFilter",
      "CZeroMQ",
      "TidingsProtoC",
      "CProtobufC",
      "TestSupport"
    ),
  ]
)

// tools/test-sanitized names the tests that it runs: only they, and what they need, are built.
if let tests = Context.environment["TIDINGS_TESTS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  var open = tests.split(separator: ",").map(String.init)
  while let name = open.popLast() {
    guard needed.insert(name).inserted, let target = targets[name] else { continue }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

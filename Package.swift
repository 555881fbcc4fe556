// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
    name: "pricewatch",
    products: [
        .executable(name: "pricewatch", targets: ["pricewatch"])
    ],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        // Values and decisions. Imports Foundation alone.
        module("Markets", []),
        // What is decided. Imports Markets alone.
        module("Engine", ["Markets"]),
        // The network.
        module(
            "Feeds",
            [
                "Markets",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // The disk.
        module(
            "History",
            [
                "Markets", "Engine",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // A provider of our own, with faults, for the demo and the tests.
        module(
            "MarketSimulator",
            [
                "Markets",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // The process: commands, configuration, daemon, outputs.
        .executableTarget(
            name: "pricewatch",
            dependencies: [
                "Markets", "Engine", "Feeds", "History", "MarketSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: strict,
            // A program exports nothing; names for others to link with would cost 3 MB, a part of them resident.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(configuration: .release))]),
        // What `make bench` measures with; no part of the product.
        .executableTarget(
            name: "recording", dependencies: ["Markets", "Engine", "History"], path: "Benchmarks/Recording",
            swiftSettings: strict),
        .executableTarget(
            name: "judging", dependencies: ["Markets", "Engine"], path: "Benchmarks/Judging", swiftSettings: strict),
        .executableTarget(
            name: "decoding", dependencies: ["Markets", "Feeds", "MarketSimulator"], path: "Benchmarks/Decoding",
            swiftSettings: strict),

        // What tests of several modules stand on.
        .target(
            name: "TestSupport", dependencies: ["Feeds", "MarketSimulator"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "Markets"),
        tests(of: "Engine", ["Markets"]),
        tests(
            of: "Feeds",
            [
                "Markets", "MarketSimulator", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests(of: "History", ["Markets", "Engine", "TestSupport"]),
        tests(of: "MarketSimulator", [.product(name: "AsyncHTTPClient", package: "async-http-client")]),
        tests(
            of: "pricewatch",
            [
                "Markets", "Engine", "Feeds", "History", "MarketSimulator", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

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
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", exact: "1.0.2"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
    ],
    targets: [
        // Values and decisions. Imports Foundation alone.
        module("Markets", []),
        // What is decided. Imports Markets alone.
        module("Engine", ["Markets"]),
        // The network: one exchange as client or as server, its limits, what must not be shown of it.
        module(
            "HTTP",
            [
                "Markets",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ]),
        // The providers of prices.
        module("Feeds", ["Markets", "HTTP"]),
        // People: messages in words, and the services that take them.
        module(
            "Channels",
            ["Markets", "Engine", "HTTP", .product(name: "Subprocess", package: "swift-subprocess")]),
        // Time-series engines: lines for them, and what they hold.
        module("Exports", ["Markets", "Engine", "HTTP", "CZlib"]),
        // zlib, for packed requests; the system's.
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // The disk.
        module(
            "History",
            [
                "Markets", "Engine",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // What is looked at: tables, the terminal, charts.
        module("Views", ["Markets", "Engine"]),
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
                "Markets", "Engine", "HTTP", "Feeds", "Channels", "Exports", "History", "Views", "MarketSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
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
            name: "decoding", dependencies: ["Markets", "HTTP", "Feeds", "MarketSimulator"],
            path: "Benchmarks/Decoding",
            swiftSettings: strict),

        // What tests of several modules stand on.
        .target(
            name: "TestSupport", dependencies: ["HTTP", "MarketSimulator", "CZlib"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "Markets", ["TestSupport"]),
        tests(of: "Engine", ["Markets", "TestSupport"]),
        tests(
            of: "HTTP",
            [
                "Markets", "MarketSimulator", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests(of: "Feeds", ["Markets", "HTTP", "MarketSimulator", "TestSupport"]),
        tests(of: "Exports", ["Markets", "Engine", "HTTP", "MarketSimulator", "TestSupport"]),
        tests(of: "History", ["Markets", "Engine", "TestSupport"]),
        tests(
            of: "MarketSimulator",
            ["TestSupport", .product(name: "AsyncHTTPClient", package: "async-http-client")]),
        tests(
            of: "pricewatch",
            [
                "Markets", "Engine", "HTTP", "Feeds", "Channels", "Exports", "History", "Views", "MarketSimulator",
                "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

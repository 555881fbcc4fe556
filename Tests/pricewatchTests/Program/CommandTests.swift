import Foundation
import Testing

@Suite struct CommandTests {
    @Test("three faults are reported at once, each with its place, and the exit code is 78")
    func faultyConfiguration() async throws {
        let folder = try TemporaryFolder()
        let file = folder.write(
            "poll:\n  interval: 60s\n  timeout: soon\nwatch:\n  markets: [bitcoin]\n  top: many\n", as: "p.yaml")
        let ending = try await Program.run("check", "--config", file)
        #expect(ending.exit == 78)
        let lines = ending.errors.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("\(file):2:3: poll.interval: ") == true)
        #expect(lines.first?.contains("did you mean poll.every") == true)
        #expect(lines.dropFirst().first?.hasPrefix("\(file):3:12: poll.timeout: ") == true)
        #expect(lines.last?.hasPrefix("\(file):6:8: watch.top: ") == true)
    }

    @Test("a configuration that is named and not there is 78, never the defaults")
    func absentConfiguration() async throws {
        #expect(try await Program.run("check", "--config", "/nowhere/p.yaml").exit == 78)
        #expect(try await Program.run("check", environment: ["PRICEWATCH_CONFIG": "/nowhere/p.yaml"]).exit == 78)
    }

    @Test("without a configuration, the built-in defaults, and it says so")
    func defaults() async throws {
        let ending = try await Program.run("check")
        #expect(ending.exit == 0)
        #expect(ending.output.contains("built-in defaults"))
        #expect(ending.output.contains("the 20 largest"))
    }

    @Test("nothing there to read: status 3, history and summary 65")
    func nothingThere() async throws {
        let folder = try TemporaryFolder()
        let environment = ["STATE_DIRECTORY": folder.path, "RUNTIME_DIRECTORY": folder.path]
        #expect(try await Program.run("status", environment: environment).exit == 3)
        #expect(try await Program.run("status", "--exit-on", "failing", environment: environment).exit == 3)
        #expect(try await Program.run("history", "bitcoin", environment: environment).exit == 65)
        #expect(try await Program.run("summary", environment: environment).exit == 65)
        #expect(try await Program.run("chart", "bitcoin", environment: environment).exit == 65)
    }

    @Test(
        "wrong usage is 64",
        arguments: [
            ["nonsense"], ["history"], ["history", "bitcoin", "--since", "yesterday"], ["simulate", "--fault", "rest"],
            ["history", "bitcoin", "--every", "1s"], ["history", "bitcoin", "--format", "xml"], ["chart"], ["stat"],
            ["chart", "bitcoin", "--output", "chart.png"], ["demo", "--for", "soon"], ["history", "bitcoin", "--all"],
            ["status", "--exit-on", "ok"], ["restore"], ["forget"], ["forget", "bitcoin", "--before", "soon"],
        ])
    func usage(arguments: [String]) async throws {
        #expect(try await Program.start(arguments).ended().exit == 64)
    }
}

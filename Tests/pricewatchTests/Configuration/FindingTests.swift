import Foundation
import Testing

@testable import pricewatch

@Suite struct FindingTests {
    let scene: ConfigurationScene

    init() throws { scene = try ConfigurationScene() }

    @Test func `the first that exists of four`() throws {
        #expect(try ConfigurationReading.read(option: nil, scene.host).file == nil)
        try scene.write("currency: chf", to: "etc/pricewatch.yaml")
        #expect(try read(nil) == ("chf", scene.host.systemFile))
        try scene.write("currency: eur", to: "home/.config/pricewatch/pricewatch.yaml")
        #expect(try read(nil) == ("eur", scene.host.userFile))
        let scene = scene
        let variable = try scene.write("currency: sek", to: "v.yaml")
        scene.host.variables["PRICEWATCH_CONFIG"] = variable
        #expect(try read(nil) == ("sek", variable))
        let option = try scene.write("currency: nok", to: "o.yaml")
        #expect(try read(option) == ("nok", option))
    }

    private func read(_ option: String?) throws -> (String, String?) {
        let reading = try ConfigurationReading.read(option: option, scene.host)
        return (reading.configuration.currency.code, reading.file?.path)
    }

    @Test func `one that is named and missing never ends in the defaults`() {
        let missing = ConfigurationError.unreadable(
            file: "/nope.yaml", reason: "no such file or directory")
        #expect(throws: missing) { try ConfigurationReading.read(option: "/nope.yaml", scene.host) }
        #expect(throws: missing) { try ConfigurationReading.read(option: "/nope.yaml", scene.host, onlyReads: true) }
        scene.host.variables["PRICEWATCH_CONFIG"] = "/nope.yaml"
        #expect(throws: missing) { try ConfigurationReading.read(option: nil, scene.host) }
        #expect(missing.description == "read the configuration /nope.yaml: no such file or directory")
    }

    @Test func `the file in etc brings the system's folders`() throws {
        try scene.write("currency: chf", to: "etc/pricewatch.yaml")
        let byItself = try ConfigurationReading.read(option: nil, scene.host).configuration
        #expect(byItself.history.database == "/var/lib/pricewatch/history.db")
        let byName = try ConfigurationReading.read(option: scene.host.systemFile, scene.host).configuration
        #expect(byName.reports.status == "/run/pricewatch/status.json")
    }

    @Test(arguments: [
        ("/", "is a directory"), ("/dev/zero", "larger than 1 MiB"),
    ])
    func `what is no file of ours is unreadable`(path: String, reason: String) {
        #expect(throws: ConfigurationError.unreadable(file: path, reason: reason)) {
            try ConfigurationReading.read(option: path, scene.host)
        }
    }

    @Test func `text in another encoding is unreadable`() throws {
        let path = scene.folder + "/latin1.yaml"
        try Data([0x61, 0x3A, 0x20, 0xE4]).write(to: URL(fileURLWithPath: path))
        #expect(throws: ConfigurationError.unreadable(file: path, reason: "not UTF-8 text")) {
            try ConfigurationReading.read(option: path, scene.host)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root can read every file"))
    func `a command that only reads goes on where the file is closed to it`() throws {
        let path = try scene.write("currency: chf", to: "etc/pricewatch.yaml")
        chmod(path, 0)
        #expect(throws: ConfigurationError.self) { try ConfigurationReading.read(option: nil, scene.host) }
        #expect(throws: ConfigurationError.self) {
            try ConfigurationReading.read(option: path, scene.host, onlyReads: true)
        }
        let reading = try ConfigurationReading.read(option: nil, scene.host, onlyReads: true)
        #expect(reading.configuration.history.database == "/var/lib/pricewatch/history.db")
        #expect(reading.note == "the configuration \(path) cannot be read (permission denied); using the default paths")
    }
}

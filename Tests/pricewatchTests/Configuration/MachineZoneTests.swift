import Foundation
import Markets
import Testing

@testable import pricewatch

/// `timezone: local`, and machines that know no zones.
@Suite struct MachineZoneTests {
    /// A machine with Berlin, Lord Howe and UTC in its database.
    private func machine(zones: [String] = ["Europe/Berlin", "Australia/Lord_Howe", "Etc/UTC"]) throws
        -> ConfigurationScene
    {
        let scene = try ConfigurationScene()
        scene.host.root = scene.folder
        for name in zones {
            try scene.write("", to: "usr/share/zoneinfo/" + name)
            try FileManager.default.removeItem(atPath: "\(scene.folder)/usr/share/zoneinfo/\(name)")
            try copy(name, to: "usr/share/zoneinfo/" + name, of: scene)
        }
        return scene
    }

    private func copy(_ name: String, to path: String, of scene: ConfigurationScene) throws {
        try FileManager.default.copyItem(atPath: "/usr/share/zoneinfo/\(name)", toPath: "\(scene.folder)/\(path)")
    }

    private func link(_ target: String, of scene: ConfigurationScene) throws {
        try FileManager.default.createSymbolicLink(
            atPath: scene.folder + "/etc/localtime", withDestinationPath: target)
    }

    private func local(_ scene: ConfigurationScene) throws -> (name: String, text: String) {
        let zone = try scene.reading("timezone: local").configuration.zone
        return (zone.name, zone.text(Told.now, .minutes))
    }

    @Test(
        "$TZ comes first",
        arguments: [
            ("Europe/Berlin", "Europe/Berlin", "2026-11-21 11:00 CET"),
            (":Europe/Berlin", "Europe/Berlin", "2026-11-21 11:00 CET"),
            ("/usr/share/zoneinfo/Australia/Lord_Howe", "Australia/Lord_Howe", "2026-11-21 21:00 +11"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-11-21 11:00 CET"),
            ("UTC", "UTC", "2026-11-21 10:00 UTC"), ("", "UTC", "2026-11-21 10:00 UTC"),
            ("UTC0", "UTC0", "2026-11-21 10:00 UTC"),
        ])
    func variable(value: String, name: String, text: String) throws {
        let scene = try machine()
        scene.host.variables["TZ"] = value
        try link("/usr/share/zoneinfo/Asia/Tokyo", of: scene)
        #expect(try local(scene) == (name, text))
    }

    @Test("then the machine's link", arguments: ["/usr/share/zoneinfo/", "../usr/share/zoneinfo/"])
    func link(folder: String) throws {
        let scene = try machine()
        try link(folder + "Europe/Berlin", of: scene)
        try scene.write("Asia/Tokyo\n", to: "etc/timezone")
        #expect(try local(scene) == ("Europe/Berlin", "2026-11-21 11:00 CET"))
    }

    @Test("or its copy of a zone, with the name of /etc/timezone if that is the same")
    func copied() throws {
        let scene = try machine()
        try copy("Europe/Berlin", to: "etc/localtime", of: scene)
        #expect(try local(scene) == ("local", "2026-11-21 11:00 CET"))
        try scene.write("Etc/UTC\n", to: "etc/timezone")
        #expect(try local(scene) == ("local", "2026-11-21 11:00 CET"))
        try scene.write("Europe/Berlin\n", to: "etc/timezone")
        #expect(try local(scene) == ("Europe/Berlin", "2026-11-21 11:00 CET"))
    }

    @Test("or the name alone; UTC where nothing is said")
    func named() throws {
        let scene = try machine()
        #expect(try local(scene) == ("UTC", "2026-11-21 10:00 UTC"))
        try scene.write("Europe/Berlin\n", to: "etc/timezone")
        #expect(try local(scene) == ("Europe/Berlin", "2026-11-21 11:00 CET"))
    }

    @Test("without tzdata there is UTC, and a fault with its cure for anything else")
    func bare() throws {
        let scene = try machine(zones: [])
        #expect(try local(scene).name == "UTC")
        #expect(scene.faults("timezone: UTC") == [])
        #expect(
            scene.faults("timezone: Europe/Berlin") == [
                "p.yaml:1:11: timezone: \"Europe/Berlin\" is not known here: SCENE/usr/share/zoneinfo has no time zones "
                    + "(install tzdata, or use UTC)"
            ])
        try link("/usr/share/zoneinfo/Europe/Berlin", of: scene)
        #expect(scene.faults("timezone: local").first?.contains("(install tzdata, or use UTC)") == true)
    }

    @Test("what the machine says may be wrong")
    func wrong() throws {
        let scene = try machine()
        scene.host.variables["TZ"] = "Berlin"
        #expect(
            scene.faults("timezone: local") == [
                "p.yaml:1:11: timezone: the machine's, TZ=\"Berlin\", is no time zone (correct it, or name a zone)"
            ])
        scene.host.variables["TZ"] = nil
        try link("/usr/share/zoneinfo/Mars/Phobos", of: scene)
        #expect(
            scene.faults("timezone: local") == [
                "p.yaml:1:11: timezone: the machine's, \"Mars/Phobos\", is not in SCENE/usr/share/zoneinfo (install "
                    + "tzdata, or name a zone)"
            ])
    }

    @Test("TZDIR is where the zones are")
    func folder() throws {
        let scene = try machine(zones: [])
        scene.host.variables["TZDIR"] = "/usr/share/zoneinfo"
        #expect(try scene.reading("timezone: Europe/Berlin").configuration.zone == Zone(named: "Europe/Berlin"))
    }

    @Test("a rule expires at the midnight of the zone, whatever the order of the keys")
    func expires() throws {
        let text = """
            alerts:
              - {name: a, market: bitcoin, above: 1, expires: 2026-11-23}
              - {name: b, market: bitcoin, above: 1, expires: 2026-11-23T00:00:00Z}
              - {name: c, market: bitcoin, above: 1, expires: 2026-07-01 18:00}
            timezone: Europe/Berlin
            """
        #expect(
            try configuration(text).alerts.rules.map { $0.expires?.utcText } == [
                "2026-11-22T23:00:00Z", "2026-11-23T00:00:00Z", "2026-07-01T16:00:00Z",
            ])
    }
}

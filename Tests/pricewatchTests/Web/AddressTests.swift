import Foundation
import HTTP
import Testing

@testable import pricewatch

/// Under which names the page is served, and where.
@Suite struct AddressTests {
    @Test(
        "this machine's own names are served, whatever their port",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "localhost:8486", "localhost.:80", "127.0.0.1", "127.0.0.1:8486",
            "127.255.255.254", "127.0.0.1.", "[::1]", "[::1]:8486", "[0:0:0:0:0:0:0:1]",
        ])
    func own(host: String) throws { #expect(AllowedHosts().allows(try #require(HostName(host)))) }

    @Test(
        "foreign names are refused, however they look",
        arguments: [
            "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "evil.example", "128.0.0.1",
            "0.0.0.0",
            "[::]", "[::2]", "[::ffff:127.0.0.1]", "localhost..", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.01",
            "xn--localhost-x", "prices.example.com", "localhost_", "10.0.0.1:8486", "169.254.169.254",
        ])
    func foreign(host: String) { #expect(HostName(host).map { AllowedHosts().allows($0) } != true) }

    @Test(
        "what is no host is malformed",
        arguments: [
            "", " localhost", "localhost ", "local host", "localhost:", "localhost:x", "localhost:99999",
            "localhost:-1",
            "localhost:1:2", "[::1", "::1", "[::1]x", "[localhost]", "user@localhost", "localhost/", "localhost\u{0}",
            "localh\u{F6}st", ".", "-.", ".localhost", String(repeating: "a", count: 301),
        ])
    func malformed(host: String) { #expect(HostName(host).map { AllowedHosts().allows($0) } != true) }

    @Test("names that are allowed, in any case, with and without a dot and a port")
    func allowed() throws {
        let hosts = AllowedHosts(
            try ["Prices.example.com", "192.0.2.7", "[2001:db8::1]"].map { try #require(HostName($0)) })
        for host in ["prices.example.com", "PRICES.EXAMPLE.COM.:443", "192.0.2.7:80", "[2001:DB8:0::1]", "localhost"] {
            #expect(hosts.allows(try #require(HostName(host))), "\(host)")
        }
        for host in ["example.com", "prices.example.com.evil.example", "192.0.2.8", "[2001:db8::2]"] {
            #expect(!hosts.allows(try #require(HostName(host))), "\(host)")
        }
    }

    @Test("--listen")
    func listen() throws {
        let expected: [(String, HTTPServer.Address, Bool)] = [
            ("127.0.0.1:8486", .tcp("127.0.0.1", port: 8486), false),
            ("localhost:0", .tcp("127.0.0.1", port: 0), false),
            ("[::1]:80", .tcp("::1", port: 80), false), ("0.0.0.0:80", .tcp("0.0.0.0", port: 80), true),
            ("[::]:80", .tcp("::", port: 80), true), ("192.0.2.7:80", .tcp("192.0.2.7", port: 80), true),
            ("unix:/run/x/s", .unix(path: "/run/x/s"), false),
        ]
        for (text, address, isPublic) in expected {
            let read = try #require(ListenAddress(text), "\(text)")
            #expect(read.address == address && read.isPublic == isPublic, "\(text)")
        }
        for text in ["", "127.0.0.1", "8486", ":8486", "prices.example.com:80", "unix:", "unix:s", "127.0.0.1:70000"] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
        #expect(ListenAddress("unix:/" + String(repeating: "a", count: 107)) == nil)
    }

    @Test("systemd's socket is taken only if it is for this process")
    func inherited() {
        let own = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"]
        #expect(ListenAddress.inherited([:]) == nil)
        #expect(ListenAddress.inherited(own.merging(["LISTEN_PID": "1"]) { $1 }) == nil)
        #expect(ListenAddress.inherited(own.merging(["LISTEN_FDS": "0"]) { $1 }) == nil)
    }
}

import Exports
import Foundation
import HTTP
import Markets

extension Configuration {
    /// One entry of `export`: a time-series engine.
    struct Export: Hashable, Sendable {
        /// `name`: defaults to the host; unique, 1 to 64 characters.
        var name: String
        /// `influx`, `token`, `user` and `password`, `headers`, `query`.
        var address: ExportAddress
    }
}

extension Configuration.Export {
    static func list(_ root: Section) -> [Configuration.Export] {
        var exports: [Configuration.Export] = []
        for item in root.items("export") ?? [] {
            let export = item.section { section in
                let export = Configuration.Export(section)
                if let export, exports.contains(where: { $0.name == export.name }) {
                    section.fault(
                        at: section.holds("name") ? "name" : "influx",
                        "another export is called \(SafeText.printable(export.name)), too: give this one a name")
                }
                return export
            }
            exports += [export].compactMap(\.self)
        }
        return exports
    }

    private init?(_ section: Section) {
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        let given = section.value("name", .name(upTo: 64))
        let url = section.secret("influx", .writeURL(allowHTTP: allowHTTP))
        if !section.holds("influx") {
            section.fault("needs influx: the URL of the engine's write API, such as http://127.0.0.1:8428/write")
        }
        let credentials = section.credentials(token: section.secret("token"))
        let headers = section.section("headers") { Self.headers($0, besideCredentials: credentials != nil) }
        let query = section.secret("query", .url(allowHTTP: allowHTTP))
        guard let url else { return nil }
        address = ExportAddress(url: url, credentials: credentials, headers: headers ?? [], query: query)
        name = given ?? address.host ?? "export"
    }

    /// What the request itself sets.
    private static let own: Set = [
        "content-encoding", "content-length", "content-type", "connection", "host", "transfer-encoding",
    ]

    private static func headers(_ section: Section, besideCredentials: Bool) -> [SecretHeader] {
        section.headers().map { name, value in
            if own.contains(name.lowercased()) {
                section.fault(at: name, "is set by pricewatch itself; leave it out")
            } else if name.lowercased() == "authorization", besideCredentials {
                section.fault(at: name, "beside token or user: keep one of them")
            }
            return SecretHeader(name: name, value: value)
        }
    }

    func madeExporter(transport: any HTTPTransport, now: @escaping @Sendable () -> Date = { Date() }) -> Exporter {
        Exporter(name: name, address: address, transport: transport, now: now)
    }
}

extension Scalar where Value == String {
    /// The URL of a write API, which has a path and times in milliseconds.
    fileprivate static func writeURL(allowHTTP: Bool) -> Scalar {
        Scalar("a URL") { text throws(Unfit) in
            guard let url = try Scalar.url(allowHTTP: allowHTTP).parse(text) else { return nil }
            let parts = URLComponents(string: url)
            if parts?.percentEncodedPath.contains(where: { $0 != "/" }) != true {
                throw Unfit(
                    reason: "the URL names no path: write /write behind the host (VictoriaMetrics, InfluxDB 1) or "
                        + "/insert/0/influx/write (vminsert)")
            }
            let precision = parts?.queryItems?.first { $0.name == "precision" }?.value
            guard [nil, "ms", "millisecond"].contains(precision) else {
                throw Unfit(reason: "the URL's precision must be ms: leave it out, and it is added")
            }
            return url
        }
    }
}

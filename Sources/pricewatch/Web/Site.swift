import Foundation
import HTTP
import History
import Markets
import Views

/// Answers requests, one after the other, so that the memory is that of one page.
actor Site {
    private let path: String?
    private var configuration: Configuration
    private let hosts: AllowedHosts
    /// What requests of the same moment share.
    private var latest: (documents: SiteDocuments, at: Date)?
    /// Of the same moment, by target.
    private var rendered: [String: SiteDocument] = [:]

    /// How long a moment is: more requests cost no more.
    private static let moment = Duration.seconds(1)
    private static let mostRendered = 8

    /// - Parameter path: The configuration's, as `--config` gives it. The file is read again for each moment: it may
    ///   change, and the page has no signal for that.
    init(_ configuration: Configuration, path: String?, hosts: AllowedHosts) {
        self.configuration = configuration
        self.path = path
        self.hosts = hosts
    }

    func reply(to request: ServedRequest, now: Date = Date()) -> ServedReply {
        guard let host = request.host.flatMap(HostName.init) else { return Self.refusal(400, "the Host is malformed") }
        guard hosts.allows(host) else {
            return Self.refusal(421, "this page is not served under that name (pricewatch web --allow-host NAME)")
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return Self.refusal(405, "this page can only be read", [("Allow", "GET, HEAD")])
        }
        let links = PageLinks(refresh: Route.refresh(target: request.target))
        let documents = documents(at: now)
        do {
            let route = try Route(target: request.target)
            guard let document = try rendered[request.target] ?? documents.document(route, links) else {
                throw Route.Fault.unknown
            }
            if rendered.count < Self.mostRendered { rendered[request.target] = document }
            return Self.reply(document, route, links, ifNoneMatch: request.fields["If-None-Match"])
        } catch Route.Fault.malformed {
            return Self.refusal(400, "this address is malformed")
        } catch Route.Fault.unknown {
            return Self.reply(documents.page(saying: "There is no such page or market.", status: 404, links))
        } catch {
            let cause = (error as? HistoryError)?.cause ?? "\(error)"
            return Self.reply(documents.page(saying: "The history cannot be read: \(cause).", status: 503, links))
        }
    }

    private func documents(at now: Date) -> SiteDocuments {
        if let latest, (.zero..<Self.moment).contains(now.since(latest.at)) { return latest.documents }
        // Before the history is opened again.
        forget()
        configuration = (try? ConfigurationReading.readForRecords(option: path).configuration) ?? configuration
        let documents = SiteDocuments(configuration, now: now)
        latest = (documents, now)
        return documents
    }

    /// Closes the history, until the next request.
    func forget() {
        latest = nil
        rendered = [:]
    }

    // MARK: Replies

    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; "
        + "frame-ancestors 'none'"
    /// A picture that is looked at alone has its own style; scripts stay forbidden.
    private static let picturePolicy = policy.replacing("style-src 'self'", with: "style-src 'unsafe-inline'")

    private static func reply(
        _ document: SiteDocument, _ route: Route? = nil, _ links: PageLinks = PageLinks(), ifNoneMatch: String? = nil
    ) -> ServedReply {
        var reply = ServedReply(document.status, body: document.bytes)
        reply.fields.append("Content-Type", document.type.rawValue)
        addCommon(&reply, policy: document.type == .svg ? picturePolicy : policy)
        switch document.type {
        case .svg, .css:
            let tag = "\"\(StableID.of([String(decoding: document.bytes, as: UTF8.self)]))\""
            reply.fields.append("Cache-Control", "no-cache")
            reply.fields.append("ETag", tag)
            let known = (ifNoneMatch ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            // A proxy may weaken it, and so may gzip.
            if known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) {
                (reply.status, reply.body) = (304, [])
            }
        default: reply.fields.append("Cache-Control", "no-store")
        }
        if route?.isPage == true, let refresh = links.refresh {
            reply.fields.append("Refresh", "\(Int(refresh.inSeconds))")
        }
        return reply
    }

    private static func refusal(
        _ status: Int, _ sentence: String, _ fields: [(name: String, value: String)] = []
    ) -> ServedReply {
        var reply = ServedReply(status, HTTPFields(fields), body: Array((sentence + "\n").utf8))
        reply.fields.append("Content-Type", SiteDocument.Kind.text.rawValue)
        addCommon(&reply, policy: policy)
        reply.fields.append("Cache-Control", "no-store")
        return reply
    }

    private static func addCommon(_ reply: inout ServedReply, policy: String) {
        reply.fields.append("Content-Security-Policy", policy)
        reply.fields.append("X-Content-Type-Options", "nosniff")
        reply.fields.append("Referrer-Policy", "no-referrer")
        reply.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        reply.fields.append("Vary", "Accept-Encoding")
    }
}

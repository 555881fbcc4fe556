import Engine
import Foundation
import HTTP
import Markets

/// A cluster of Alertmanagers as configured.
package struct Alertmanagers: Hashable, Sendable {
    /// Base URLs, perhaps with a path. Each gets everything: Alertmanagers tell each other what they sent, not what
    /// fires.
    package var urls: [Secret]
    /// Further labels of every alert.
    package var labels: [String: String]
    package var credentials: Credentials?

    package init(urls: [Secret], labels: [String: String] = [:], credentials: Credentials? = nil) {
        self.urls = urls
        self.labels = labels
        self.credentials = credentials
    }

    var secrets: [String] { credentials?.secrets ?? [] }

    /// The labels that identify an alert beside the configured ones, which must not replace them.
    package static let ownLabels = ["alertname", "market", "currency", "severity", "service"]
}

/// Alertmanager's API v2 (github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml).
struct AlertmanagerChannel: StateChannel {
    let name: String
    let cluster: Alertmanagers
    let transport: any HTTPTransport
    let now: @Sendable () -> Date

    /// How long an alert fires that is over when it is sent. An end before the next notification of its group would be
    /// one that is never sent: by default 30 s (`group_wait`) or 5 minutes (`group_interval`).
    static let shortFiring = Duration.minutes(6)
    /// Of a message that is no state.
    private static let timeout = Duration.seconds(5)

    func post(_ state: StatePost, page: PageURL?) async -> StateAnswers {
        let alerts =
            state.firing.map { alert(of: $0, endsAt: state.endsAt, page: page) }
            + state.resolved.map { alert(of: $0, endsAt: $0.at, page: page) }
        let answers = await send(alerts, within: state.limit).map { StateAnswers.Address(host: $0, $1.outcome) }
        return StateAnswers(channel: name, addresses: answers)
    }

    /// `am-1:9093: 200 OK; send to cluster (alertmanager am-2:9093): no connection`
    private func shown(_ answers: [(host: String, Answer)]) -> String {
        answers.map { $1.outcome == .taken ? "\($0): \($1.text)" : $1.text }.joined(separator: "; ")
    }

    /// Sends a test to all addresses, or alerts that no address had while they fired, which are over.
    func deliver(_ message: Message) async throws(DeliveryError) -> String {
        var alerts = message.events.filter { $0.kind == .resolved }.map {
            missed($0, in: message.zone, page: message.page)
        }
        if let note = message.note { alerts.append(test(note, id: message.id)) }
        let answers = await send(alerts, within: Self.timeout)
        let failed = answers.filter { $1.outcome != .taken }
        // A test is of every address; one that has an alert notifies of it.
        guard failed.isEmpty || message.note == nil && failed.count < answers.count else {
            let isRefused = failed.allSatisfy { if case .refused = $1.outcome { true } else { false } }
            throw DeliveryError(description: shown(answers), isPermanent: isRefused)
        }
        return shown(answers)
    }
}

// MARK: Alerts

extension AlertmanagerChannel {
    /// One alert as the API takes it.
    private struct WireAlert: Sendable {
        var labels: [(String, String)]
        var annotations: [(String, String?)]
        var startsAt: Date
        var endsAt: Date
        var link: String?
    }

    private func alert(of event: AlertEvent, endsAt: Date, page: PageURL?) -> WireAlert {
        WireAlert(
            labels: [
                ("alertname", event.rule), ("market", event.market.text), ("currency", event.currency.code),
                ("severity", event.severity.rawValue), ("service", "pricewatch"),
            ],
            annotations: [
                ("summary", Headline(event).text(within: 200)), ("description", event.note),
                ("price", event.price?.description), ("threshold", event.threshold?.description),
                ("event_id", event.id),
            ], startsAt: event.firingSince, endsAt: endsAt,
            link: page.map { event.link(on: $0) })
    }

    private func missed(_ event: AlertEvent, in zone: Zone, page: PageURL?) -> WireAlert {
        var alert = alert(of: event, endsAt: now() + Self.shortFiring, page: page)
        let time = zone.text(from: event.firingSince, to: event.at)
        let summary = Headline(event).text(within: 200)
        alert.annotations[0].1 = "\(summary); fired from \(time) while no Alertmanager could be reached"
        return alert
    }

    private func test(_ note: Note, id: String) -> WireAlert {
        WireAlert(
            // With its id, a second test is another alert.
            labels: [("alertname", "pricewatch-test"), ("severity", "info"), ("service", "pricewatch"), ("test", id)],
            annotations: [("summary", note.title), ("description", note.lines.joined(separator: "\n"))],
            startsAt: note.at, endsAt: note.at + Self.shortFiring)
    }

    private func body(_ alerts: [WireAlert]) -> Data {
        var json = JSONWriter(reserving: 64 + alerts.count * 512)
        let further = cluster.labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        json.array { json in
            for alert in alerts {
                json.object { json in
                    json.object("labels") { json in
                        for (name, value) in alert.labels + further { json.text(value, named: name) }
                    }
                    json.object("annotations") { json in
                        for case (let name, let value?) in alert.annotations { json.text(value, named: name) }
                    }
                    json.member("startsAt", alert.startsAt.utcTextWithMilliseconds)
                    json.member("endsAt", alert.endsAt.utcTextWithMilliseconds)
                    if let link = alert.link { json.member("generatorURL", link) }
                }
            }
        }
        return Data(json.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func text(_ value: String, named name: String) {
        self.name(name)
        string(value)
    }
}

// MARK: Requests

extension AlertmanagerChannel {
    private typealias Answer = (outcome: StateAnswers.Outcome, text: String)

    /// The answer of each address, by host and port, in the order of the configuration.
    private func send(_ alerts: [WireAlert], within limit: Duration) async -> [(host: String, Answer)] {
        let body = body(alerts)
        return await withTaskGroup(of: (Int, Answer).self) { group in
            for (place, url) in cluster.urls.enumerated() {
                group.addTask { (place, await send(body, to: url, within: limit)) }
            }
            var answers: [Int: Answer] = [:]
            for await (place, answer) in group { answers[place] = answer }
            return cluster.urls.enumerated().compactMap { place, url in
                answers[place].map { (url.hostAndPort ?? "", $0) }
            }
        }
    }

    private func send(_ body: Data, to url: Secret, within limit: Duration) async -> Answer {
        let target = url.revealed + "/api/v2/alerts"
        let kind = "alertmanager \(SafeText.printable(url.hostAndPort ?? "", atMost: 100))"
        let words = DeliveryTexts(
            channel: name,
            HTTPService(kind: kind, url: url.revealed, secrets: cluster.secrets, body: \.json) { status, _ in
                switch status {
                case 401, 403: "check token, or user and password"
                case 404, 405, 410: "check the address: Alertmanager answers at its /api/v2/alerts"
                default: nil
                }
            })
        var headers = HTTPFields.ours
        headers.append("Content-Type", "application/json")
        if let credentials = cluster.credentials { headers.append("Authorization", credentials.authorization) }
        do throws(TransportFault) {
            let answer = try await transport.exchange(
                WireRequest(url: target, headers: headers, body: body, bodyLimit: bodyLimit), within: limit)
            if answer.isSuccess { return (.taken, words.receipt(answer)) }
            let cause = words.refusal(answer)
            return (answer.status == 400 ? .refused(cause: cause) : .failed(cause: cause), cause)
        } catch {
            let cause = words.failure(error)
            return (error == .cancelled ? .interrupted : .failed(cause: cause), cause)
        }
    }
}

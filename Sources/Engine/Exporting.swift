import Foundation
import Markets

extension Engine {
    /// Starts due requests to time-series engines, at most one at a time for each.
    mutating func chooseExports(at now: Moment, _ plan: inout Plan) {
        guard !isStopping else { return }
        let records = plan.commit?.polls.isEmpty == false
        for place in exports.indices {
            guard let request = exports[place].next(records: records, at: now.uptime) else { continue }
            plan.exports.append(request)
        }
    }

    mutating func endExport(_ result: ExportResult, at now: Moment, _ plan: inout Plan) {
        guard let place = place(ofExport: result.request.export.name) else { return }
        // Two daemons that export to one engine do not retry at the same time.
        let failures = exports[place].failure?.count.count ?? 0
        let random = StableID.fraction(of: [installation, result.request.export.name, String(failures)])
        plan.log += exports[place].finish(result, at: now, random: random)
    }

    /// - Parameter samples: by export.
    mutating func endPruning(lost samples: [String: Int], _ plan: inout Plan) {
        for (name, count) in samples.sorted(by: { $0.key < $1.key }) where count > 0 {
            guard let place = place(ofExport: name) else { continue }
            plan.log.append(exports[place].lose(count))
        }
    }

    private func place(ofExport name: String) -> Int? { exports.firstIndex { $0.settings.name == name } }

    /// The exports of other settings. Those that stay keep their state.
    func makeExports(_ remembered: Remembered) -> [ExportQueue] {
        settings.exports.map { settings in
            guard var known = exports.first(where: { $0.settings.name == settings.name }) else {
                return ExportQueue(settings, remembering: remembered.exports[settings.name])
            }
            known.reconfigure(settings)
            return known
        }
    }

    /// Publishes the status if the state of an export has changed.
    mutating func publishExports(at now: Moment, _ plan: inout Plan) {
        for place in exports.indices {
            let state = exports[place].state(at: now)
            if state != exports[place].published { plan.publishChange() }
            exports[place].published = state
        }
    }

    /// Adds to a commit what changed of the exports since the last: positions are not worth a transaction of their own.
    mutating func writeExports(to commit: inout Commit) {
        for place in exports.indices {
            guard let stored = exports[place].unwritten() else { continue }
            commit.exports[exports[place].settings.name] = stored
        }
    }

    /// The polls of a commit were written.
    mutating func addToExports(_ polls: [PollRecord], at uptime: Duration) {
        for poll in polls {
            for place in exports.indices {
                exports[place].add(samples: poll.samples.count, answeredAt: poll.fetchedAt, at: uptime)
            }
        }
    }
}

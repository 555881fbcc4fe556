import Foundation
import Markets

extension StatusDocument {
    /// The file's text with the aged values replaced. All other text is kept, including fields of other releases.
    func text(of file: [UInt8], writtenAs written: StatusDocument) -> [UInt8] {
        guard let markets, let before = written.markets, markets.map(\.state) != before.map(\.state) else {
            return file
        }
        var text = file
        let members = JSONSpans(of: file[...]).members
        // From the end, so that earlier offsets remain valid.
        for (name, span) in members.sorted(by: { $0.value.lowerBound > $1.value.lowerBound }) {
            switch name {
            case "state": text.replaceSubrange(span, with: Self.json { $0.string(state) })
            case "reasons":
                text.replaceSubrange(span, with: Self.reasons(reasons ?? []))
            case "summary_24h":
                guard let summary, markets.count == before.count else { continue }
                text.replaceSubrange(span, with: Self.json { json in json.object { summary.members(&$0) } })
            case "markets":
                let items = JSONSpans(of: file[span]).items
                guard items.count == markets.count else { continue }
                for (place, item) in items.enumerated().reversed() where markets[place].state != before[place].state {
                    text.replaceSubrange(item, with: Self.stale(file[item]))
                }
            default: break
            }
        }
        return text
    }

    /// A market's object with state `stale` and without a change.
    private static func stale(_ market: ArraySlice<UInt8>) -> [UInt8] {
        var text = Array(market)
        let members = JSONSpans(of: text[...]).members
        for (name, span) in members.sorted(by: { $0.value.lowerBound > $1.value.lowerBound }) {
            switch name {
            case "state": text.replaceSubrange(span, with: Array("\"stale\"".utf8))
            case "change_24h_percent", "change_24h_basis": text.replaceSubrange(span, with: Array("null".utf8))
            default: break
            }
        }
        return text
    }

    private static func reasons(_ reasons: [Reason]) -> [UInt8] {
        let objects = reasons.map { reason in
            json { json in
                json.object { json in
                    json.member("code", reason.code)
                    json.member("message", reason.message)
                }
            }
        }
        return Array("[".utf8) + objects.joined(separator: Array(",".utf8)) + Array("]".utf8)
    }

    private static func json(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        write(&json)
        return json.bytes
    }
}

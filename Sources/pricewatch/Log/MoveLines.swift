import Engine
import Markets

extension EventLog {
    /// Tells of moves too large to be believed at once: a line each, or one for all where many markets jump together
    /// (a provider that has switched its currency).
    func write(_ moves: [LargeMove]) {
        for stage in [LargeMove.Stage.confirmed, .rejected, .unconfirmed] {
            let alike = moves.filter { $0.stage == stage }
            guard alike.count <= Self.movesToldOneByOne else {
                write(.warning, "price.\(stage.rawValue)") { line in
                    line.add("count", alike.count)
                    line.add(
                        "message",
                        "\(alike.prefix(3).map(\.market.text).joined(separator: ", ")) and \(alike.count - 3) more")
                }
                continue
            }
            for move in alike {
                write(stage == .confirmed ? .info : .warning, "price.\(stage.rawValue)") { line in
                    line.add("market", move.market.text)
                    line.add("price", move.price.price)
                    line.add("trusted", move.trusted)
                    line.add("quoted_at", move.price.quotedAt)
                    line.add("feed", move.price.feed)
                }
            }
        }
    }

    private static let movesToldOneByOne = 5
}

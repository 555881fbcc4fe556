import Engine
import GRDB
import Markets

extension Lane {
    /// Which rows of `poll` are its, as a condition with the arguments it takes.
    ///
    /// - Parameter riding: with those in which its feed was asked for it and for the shared lane at once.
    func polls(riding: Bool = false) -> (condition: String, arguments: StatementArguments) {
        switch self {
        case .shared: ("NOT alone AND NOT backfilled", [])
        case .own(let feed):
            (
                "\(riding ? "" : "alone AND ")NOT backfilled AND feed = (SELECT id FROM feed WHERE name = ?)", [feed]
            )
        }
    }
}

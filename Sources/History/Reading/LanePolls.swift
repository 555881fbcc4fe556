import GRDB
import Markets

extension Lane {
    /// Which rows of `poll` are its, as a condition with the arguments it takes.
    var polls: (condition: String, arguments: StatementArguments) { polls(ridingAlong: false) }

    /// - Parameter ridingAlong: With those of the shared lane that the same feed served, which brought its markets along.
    func polls(ridingAlong: Bool) -> (condition: String, arguments: StatementArguments) {
        switch self {
        case .shared: ("NOT alone AND NOT backfilled", [])
        case .own(let feed):
            (
                "\(ridingAlong ? "" : "alone AND ")NOT backfilled AND feed = (SELECT id FROM feed WHERE name = ?)",
                [feed]
            )
        }
    }
}

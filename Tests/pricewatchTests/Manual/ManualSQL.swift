import Foundation

/// A block of SQL, asked of a database.
enum ManualSQL {
    private static let script = """
        import sqlite3, sys
        db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
        for statement in sys.argv[2].split(";"):
            if not statement.strip(): continue
            try:
                if not db.execute(statement).fetchall(): print(f"no answer: {statement.strip()}")
            except sqlite3.Error as error: print(f"{error}: {statement.strip()}")
        """

    /// What its statements have against `database`: an error, or no answer.
    static func faults(in block: ManualText.Block, database: String) async throws -> [ManualFault] {
        let ending = try await Program.start(["-c", script, database, block.text], program: "/usr/bin/python3").ended()
        return (ending.output + ending.errors).split(separator: "\n").map {
            ManualFault(place: block.place, message: String($0))
        }
    }
}

import Foundation

extension ManualMachine {
    /// What the statements of `block` have against the database that the daemon writes: an error, or no answer.
    func sqlFaults(in block: ManualText.Block) async throws -> [ManualFault] {
        let script = """
            import sqlite3, sys
            db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
            text = sys.stdin.read() if len(sys.argv) < 3 else sys.argv[2]
            for statement in text.split(";"):
                if not statement.strip(): continue
                try:
                    if not db.execute(statement).fetchall(): print(f"no answer: {statement.strip()}")
                except sqlite3.Error as error: print(f"{error}: {statement.strip()}")
            """
        let ending = try await Program.start(
            ["-c", script, database, block.text], program: "/usr/bin/python3"
        ).ended()
        return (ending.output + ending.errors).split(separator: "\n").map {
            ManualFault(place: block.place, message: String($0))
        }
    }
}

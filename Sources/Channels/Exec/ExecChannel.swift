import Foundation
import Markets

/// A program of the owner's, started for each message without a shell.
///
/// It gets a single event as JSON on standard input and in its environment (`ChildEnvironment`); for a group or a note,
/// standard input is the webhook's object. Exit status 0 is success. Any other exit may be retried, 75 (EX_TEMPFAIL) or
/// not: scripts often fail because of the network, and `max_age` ends the retries. A program that cannot be started is
/// a permanent error.
struct ExecChannel: Channel {
    let name: String
    /// The program and its arguments; a program without a slash is looked up in `PATH`.
    let command: [String]
    let timeout: Duration
    let environment: ChildEnvironment
    /// The time between SIGTERM and SIGKILL.
    var grace = Duration.seconds(2)

    func deliver(_ message: Message) async throws(DeliveryError) -> Receipt {
        let json = ExecInput.bytes(message)
        let child = ChildProcess(
            command: command, environment: environment.variables(for: message, json: json), input: json,
            timeout: timeout, grace: grace)
        switch await child.run() {
        case .exited(0, let output): return Receipt(answer: "exit 0\(Self.shown(output, atMost: 80))")
        case .exited(let code, let output): throw error("exit \(code)\(Self.shown(output, atMost: 200))")
        case .killed(let signal, let output):
            let meaning = strsignal(signal).map { String(cString: $0).lowercased() } ?? "unknown"
            throw error("ended by signal \(signal) (\(meaning))\(Self.shown(output, atMost: 200))")
        case .timedOut(let output):
            throw error("not done within \(timeout.unitsText), so it was killed\(Self.shown(output, atMost: 200))")
        case .cancelled: throw error("stopped before it was done")
        case .notStarted(let fault): throw error(fault.description, isPermanent: fault.isPermanent)
        }
    }

    private func error(_ cause: String, isPermanent: Bool = false) -> DeliveryError {
        let program = SafeText.printable(command[0], atMost: 200)
        return DeliveryError(description: "run \(program) for \(name): \(cause)", isPermanent: isPermanent)
    }

    private static func shown(_ output: BoundedOutput, atMost length: Int) -> String {
        let text = output.text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? "" : ": \"\(SafeText.printable(text, atMost: length))\""
    }
}

enum ExecInput {
    /// The event object for a single event, else the webhook's object.
    static func bytes(_ message: Message) -> [UInt8] {
        guard case .events(let events) = message.content, events.count == 1 else { return MessageJSON.bytes(message) }
        var json = JSONWriter()
        events[0].write(&json)
        return json.bytes
    }
}

/// The first bytes of a program's output. The rest is read and discarded, so that the program does not block.
struct BoundedOutput: Sendable {
    private(set) var bytes: [UInt8] = []

    private static let limit = 4096

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        bytes += piece.prefix(max(0, Self.limit - bytes.count))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

import Glibc
import Markets

/// Buffered standard output; the command ends quietly if the reader has closed it.
package struct StandardOutput: ~Copyable {
    private var pending: [UInt8] = []

    package init() {
        pending.reserveCapacity(Self.piece + 4096)
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { Self.write(pending) }

    package mutating func write(_ text: String) { write(text.utf8) }

    package mutating func write(_ bytes: some Sequence<UInt8>) {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.piece { flush() }
    }

    package mutating func line(_ text: String = "") {
        write(text)
        write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Writes all of a command's output.
    package static func write(lines: [String]) {
        var output = StandardOutput()
        for line in lines { output.line(line) }
    }

    package mutating func flush() {
        Self.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private static let piece = 64 * 1024
    /// The exit code of a command that cannot read or write.
    private static let inputOutputError: Int32 = 74

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { exit(0) }
                StandardError.line("write standard output: \(String(cString: strerror(errno)).lowercased())")
                exit(inputOutputError)
            }
            rest = rest.dropFirst(count)
        }
    }
}

/// Writes errors and notes to standard error, apart from the output that scripts read.
package enum StandardError {
    package static func line(_ text: String) {
        let bytes = Array((SafeText.printable(text) + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// Standard input, output and error.
package enum StandardStreams {
    /// Opens placeholders for those that the caller has closed: otherwise the next file to be opened, such as the
    /// database, would get their descriptor and receive the output. Writing to a placeholder fails.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

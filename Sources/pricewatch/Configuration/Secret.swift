import Foundation

extension Configuration {
    /// A key, token or URL that must not be read over a shoulder: it prints `***`, whoever prints it.
    struct Secret: Hashable, Sendable {
        /// For the place that puts a request together, and for nothing else.
        let revealed: String
        let origin: Origin

        enum Origin: Hashable, Sendable {
            /// In the configuration itself.
            case inline
            /// A file; absolute.
            case file(String)
            /// An environment variable.
            case environment(String)
        }

        /// The secret as its file has it now, so that a rotated key is taken up without a restart; nil where it
        /// never stood in a file or the file holds no secret any more.
        func readAgain() -> Secret? {
            guard case .file(let path) = origin, let text = try? BoundedFile.text(path),
                let secret = Secret.text(of: text)
            else { return nil }
            return Secret(revealed: secret, origin: origin)
        }

        /// `content` without the newline at its end; nil where the rest cannot be a secret.
        static func text(of content: String) -> String? {
            let text = content.withoutNewlineAtEnd
            return objection(to: text) == nil ? text : nil
        }

        /// What is wrong with `text`, without saying what it is. A line break in a key would let it write headers.
        static func objection(to text: String) -> String? {
            if text.isEmpty { return "is empty" }
            if text.utf8.count > 8192 { return "is longer than 8192 bytes" }
            if text.unicodeScalars.contains(where: \.isUnprintable) {
                return "holds a control character or a line break"
            }
            return nil
        }
    }
}

extension Configuration.Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "***" }
    var debugDescription: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Editors and `echo` end a file with a newline that nobody meant as part of its value.
    var withoutNewlineAtEnd: String { last?.isNewline == true ? String(dropLast()) : self }
}

import Foundation

/// As whom requests are sent.
package enum Credentials: Hashable, Sendable {
    case token(Secret)
    /// The user name holds no colon (RFC 7617).
    case user(String, password: Secret)

    /// The value of the header `Authorization`.
    package var authorization: String {
        switch self {
        case .token(let token): "Bearer \(token.revealed)"
        case .user(let user, let password): "Basic \(Self.basic(user, password))"
        }
    }

    /// What no text may hold.
    package var secrets: [String] {
        switch self {
        case .token(let token): [authorization, token.revealed]
        case .user(let user, let password): [authorization, password.revealed, Self.basic(user, password)]
        }
    }

    private static func basic(_ user: String, _ password: Secret) -> String {
        Data("\(user):\(password.revealed)".utf8).base64EncodedString()
    }
}

/// A header of every request, as configured.
package struct SecretHeader: Hashable, Sendable {
    package var name: String
    package var value: Secret

    package init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }
}

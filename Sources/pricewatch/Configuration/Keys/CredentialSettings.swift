import HTTP

extension Section {
    /// What `user` and `password` say, or the token.
    ///
    /// - Parameter token: what `token` says.
    func credentials(token: Secret?) -> Credentials? {
        let user = value("user", .name(upTo: 256))
        let password = secret("password")
        if holds("token"), let other = ["user", "password"].first(where: holds) {
            fault(at: other, "beside a token: only one of them is sent, so leave \(other) or token out")
        } else if holds("password"), !holds("user") {
            fault(at: "password", "needs the user that it belongs to: add user")
        } else if holds("user"), !holds("password") {
            fault(at: "user", "needs a password: add password_file, password_env or password")
        }
        if user?.contains(":") == true {
            fault(at: "user", "must not hold a colon, which ends a user name in HTTP")
        }
        if let token { return .token(token) }
        guard let user, let password else { return nil }
        return .user(user, password: password)
    }
}

//! Encrypted connections.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::definition::*;
use crate::handle::*;

super::section! { Tls, from super::general::END;
    /// TCP port for encrypted connections; 0 opens none.
    TLS_PORT: Integer = integer("tls-port", 0..=MAX_PORT, 0).accepted_only(NOT_YET);
    /// Certificate of the server, in PEM.
    TLS_CERT_FILE: Text = optional("tls-cert-file").names_a_file().accepted_only(NOT_YET);
    /// Private key of the server, in PEM.
    TLS_KEY_FILE: Text = optional("tls-key-file").names_a_file().accepted_only(NOT_YET);
    /// Password of the private key.
    TLS_KEY_FILE_PASS: Text = optional("tls-key-file-pass").secret().accepted_only(NOT_YET);
    /// Certificate shown to other servers, in PEM.
    TLS_CLIENT_CERT_FILE: Text =
        optional("tls-client-cert-file").names_a_file().accepted_only(NOT_YET);
    /// Private key of that certificate, in PEM.
    TLS_CLIENT_KEY_FILE: Text =
        optional("tls-client-key-file").names_a_file().accepted_only(NOT_YET);
    /// Password of that key.
    TLS_CLIENT_KEY_FILE_PASS: Text =
        optional("tls-client-key-file-pass").secret().accepted_only(NOT_YET);
    /// Diffie-Hellman parameters, in PEM.
    TLS_DH_PARAMS_FILE: Text = optional("tls-dh-params-file").names_a_file().accepted_only(NOT_YET);
    /// Certificates of the authorities that are trusted, in PEM.
    TLS_CA_CERT_FILE: Text = optional("tls-ca-cert-file").names_a_file().accepted_only(NOT_YET);
    /// Directory of such certificates.
    TLS_CA_CERT_DIR: Text = optional("tls-ca-cert-dir").names_a_file().accepted_only(NOT_YET);
    /// Whether clients must show a certificate.
    TLS_AUTH_CLIENTS: Choice<TlsAuthClients> =
        choice("tls-auth-clients", "yes").accepted_only(NOT_YET);
    /// Which part of a client certificate names the user it logs in as.
    TLS_AUTH_CLIENTS_USER: Choice<TlsAuthClientsUser> =
        choice("tls-auth-clients-user", "off").accepted_only(NOT_YET);
    /// Encrypt the connection to the primary.
    TLS_REPLICATION: Boolean = boolean("tls-replication", false).accepted_only(NOT_YET);
    /// Encrypt the cluster bus.
    TLS_CLUSTER: Boolean = boolean("tls-cluster", false).accepted_only(NOT_YET);
    /// Protocol versions that are spoken, such as `TLSv1.2 TLSv1.3`.
    TLS_PROTOCOLS: Text = optional("tls-protocols").accepted_only(NOT_YET);
    /// Ciphers of TLS 1.2.
    TLS_CIPHERS: Text = optional("tls-ciphers").accepted_only(NOT_YET);
    /// Cipher suites of TLS 1.3.
    TLS_CIPHERSUITES: Text = optional("tls-ciphersuites").accepted_only(NOT_YET);
    /// Take the server's preference of ciphers rather than the client's.
    TLS_PREFER_SERVER_CIPHERS: Boolean =
        boolean("tls-prefer-server-ciphers", false).accepted_only(NOT_YET);
    /// Let clients resume sessions.
    TLS_SESSION_CACHING: Boolean = boolean("tls-session-caching", true).accepted_only(NOT_YET);
    /// Sessions kept for resumption; 0 is no limit.
    TLS_SESSION_CACHE_SIZE: Integer =
        integer("tls-session-cache-size", 0..=INT_MAX, 20_480).accepted_only(NOT_YET);
    /// Seconds that a session is kept.
    TLS_SESSION_CACHE_TIMEOUT: Integer =
        integer("tls-session-cache-timeout", 0..=INT_MAX, 300).accepted_only(NOT_YET);
    /// Seconds between looks for changed certificate files; 0 is never.
    TLS_AUTO_RELOAD_INTERVAL: Integer =
        integer("tls-auto-reload-interval", 0..=INT_MAX, 0).accepted_only(NOT_YET);
}

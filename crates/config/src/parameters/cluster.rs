//! Cluster mode.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::definition::*;
use crate::handle::*;
use crate::value::*;

super::section! { Cluster, from super::replication::END;
    /// Be a node of a cluster.
    CLUSTER_ENABLED: Boolean = boolean("cluster-enabled", false).immutable().accepted_only(NOT_YET);
    /// File in which a node keeps what it knows of the cluster.
    CLUSTER_CONFIG_FILE: Text = text("cluster-config-file", "nodes.conf")
        .checked(check_cluster_file)
        .immutable()
        .accepted_only(NOT_YET);
    /// Whether a node waits for that file to be on disk.
    CLUSTER_CONFIG_SAVE_BEHAVIOR: Choice<ClusterConfigSaveBehavior> =
        choice("cluster-config-save-behavior", "sync").accepted_only(NOT_YET);
    /// Databases of a cluster.
    CLUSTER_DATABASES: Integer =
        integer("cluster-databases", 1..=INT_MAX, 1).immutable().accepted_only(NOT_YET);
    /// Milliseconds of silence after which a node is taken for dead.
    CLUSTER_NODE_TIMEOUT: Integer =
        integer("cluster-node-timeout", 0..=MAX, 15_000).accepted_only(NOT_YET);
    /// Milliseconds between pings; 0 derives it.
    CLUSTER_PING_INTERVAL: Integer =
        integer("cluster-ping-interval", 0..=MAX, 0).hidden().accepted_only(NOT_YET);
    /// Percentage of the nodes that a message on the bus tells about.
    CLUSTER_MESSAGE_GOSSIP_PERC: Integer =
        integer("cluster-message-gossip-perc", 1..=100, 10).hidden().accepted_only(NOT_YET);
    /// Port of the cluster bus; 0 is the client port plus 10000.
    CLUSTER_PORT: Integer =
        integer("cluster-port", 0..=MAX_PORT, 0).immutable().accepted_only(NOT_YET);
    /// How old a replica's data may be for it to take over, in node timeouts; 0 is any age.
    CLUSTER_REPLICA_VALIDITY_FACTOR: Integer =
        integer("cluster-replica-validity-factor", 0..=INT_MAX, 10)
            .aliases(&["cluster-slave-validity-factor"])
            .accepted_only(NOT_YET);
    /// Replicas that a primary must keep for another to migrate away.
    CLUSTER_MIGRATION_BARRIER: Integer =
        integer("cluster-migration-barrier", 0..=INT_MAX, 1).accepted_only(NOT_YET);
    /// Let replicas migrate to primaries that have none.
    CLUSTER_ALLOW_REPLICA_MIGRATION: Boolean =
        boolean("cluster-allow-replica-migration", true).accepted_only(NOT_YET);
    /// Refuse everything while a slot has no node.
    CLUSTER_REQUIRE_FULL_COVERAGE: Boolean =
        boolean("cluster-require-full-coverage", true).accepted_only(NOT_YET);
    /// Never take over as a replica by itself.
    CLUSTER_REPLICA_NO_FAILOVER: Boolean = boolean("cluster-replica-no-failover", false)
        .aliases(&["cluster-slave-no-failover"])
        .accepted_only(NOT_YET);
    /// Milliseconds that a failover by hand may take.
    CLUSTER_MANUAL_FAILOVER_TIMEOUT: Integer =
        integer("cluster-manual-failover-timeout", 1..=INT_MAX, 5000).accepted_only(NOT_YET);
    /// Answer reads while the cluster is down.
    CLUSTER_ALLOW_READS_WHEN_DOWN: Boolean =
        boolean("cluster-allow-reads-when-down", false).accepted_only(NOT_YET);
    /// Serve sharded channels while the cluster is down.
    CLUSTER_ALLOW_PUBSUBSHARD_WHEN_DOWN: Boolean =
        boolean("cluster-allow-pubsubshard-when-down", true).accepted_only(NOT_YET);
    /// Bytes that may wait on a link of the bus; 0 is no limit.
    CLUSTER_LINK_SENDBUF_LIMIT: Integer =
        memory("cluster-link-sendbuf-limit", 0..=MAX, 0).accepted_only(NOT_YET);
    /// Seconds that a forgotten node is kept out.
    CLUSTER_BLACKLIST_TTL: Integer =
        integer("cluster-blacklist-ttl", 0..=MAX, 60).accepted_only(NOT_YET);
    /// Host name that the node gives as its own.
    CLUSTER_ANNOUNCE_HOSTNAME: Text =
        optional("cluster-announce-hostname").checked(check_hostname).accepted_only(NOT_YET);
    /// Name for people to read in logs.
    CLUSTER_ANNOUNCE_HUMAN_NODENAME: Text =
        optional("cluster-announce-human-nodename").checked(check_node_name).accepted_only(NOT_YET);
    /// Address that the node gives as its own.
    CLUSTER_ANNOUNCE_IP: Text =
        optional("cluster-announce-ip").checked(check_cluster_address).accepted_only(NOT_YET);
    /// IPv4 address that the node gives to clients.
    CLUSTER_ANNOUNCE_CLIENT_IPV4: Text =
        optional("cluster-announce-client-ipv4").checked(check_ipv4).accepted_only(NOT_YET);
    /// IPv6 address that the node gives to clients.
    CLUSTER_ANNOUNCE_CLIENT_IPV6: Text =
        optional("cluster-announce-client-ipv6").checked(check_ipv6).accepted_only(NOT_YET);
    /// Port that the node gives as its own; 0 is the real one.
    CLUSTER_ANNOUNCE_PORT: Integer =
        integer("cluster-announce-port", 0..=MAX_PORT, 0).accepted_only(NOT_YET);
    /// TLS port that the node gives as its own; 0 is the real one.
    CLUSTER_ANNOUNCE_TLS_PORT: Integer =
        integer("cluster-announce-tls-port", 0..=MAX_PORT, 0).accepted_only(NOT_YET);
    /// Bus port that the node gives as its own; 0 is the real one.
    CLUSTER_ANNOUNCE_BUS_PORT: Integer =
        integer("cluster-announce-bus-port", 0..=MAX_PORT, 0).accepted_only(NOT_YET);
    /// Port that the node gives to clients; 0 is the real one.
    CLUSTER_ANNOUNCE_CLIENT_PORT: Integer =
        integer("cluster-announce-client-port", 0..=MAX_PORT, 0).accepted_only(NOT_YET);
    /// TLS port that the node gives to clients; 0 is the real one.
    CLUSTER_ANNOUNCE_CLIENT_TLS_PORT: Integer =
        integer("cluster-announce-client-tls-port", 0..=MAX_PORT, 0)
            .accepted_only(NOT_YET);
    /// What nodes give clients as their address.
    CLUSTER_PREFERRED_ENDPOINT_TYPE: Choice<ClusterPreferredEndpointType> =
        choice("cluster-preferred-endpoint-type", "ip").accepted_only(NOT_YET);
    /// Count commands and bytes by slot.
    CLUSTER_SLOT_STATS_ENABLED: Boolean =
        boolean("cluster-slot-stats-enabled", false).accepted_only(NOT_YET);
    /// Percentage of commands checked for whether a cluster would take them.
    CLUSTER_COMPATIBILITY_SAMPLE_RATIO: Integer =
        integer("cluster-compatibility-sample-ratio", 0..=100, 0).accepted_only(NOT_YET);
    /// Moves of slots that are remembered.
    CLUSTER_SLOT_MIGRATION_LOG_MAX_LEN: Integer =
        integer("cluster-slot-migration-log-max-len", 0..=MAX, 1000).accepted_only(NOT_YET);
    /// Writes still to be sent below which a move of slots may end; -1 is any number.
    SLOT_MIGRATION_MAX_FAILOVER_REPL_BYTES: Integer =
        memory("slot-migration-max-failover-repl-bytes", -1..=MAX, 0).accepted_only(NOT_YET);
}

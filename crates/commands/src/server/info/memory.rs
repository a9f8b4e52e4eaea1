//! What memory is used for, as far as the host can tell.

use config::parameter;
use engine::Server;

use super::Report;
use crate::server::memory_report::{MemoryReport, percentage};

pub(super) fn write(server: &Server, report: &mut Report) {
    let memory = MemoryReport::new(server);
    let process = server.host.process();
    let is_known = memory.is_known();
    let (used, dataset) = (memory.used, memory.dataset());
    report.bytes("used_memory", used as u64);
    if is_known {
        report.bytes("used_memory_rss", memory.host.resident as u64);
    }
    report.bytes("used_memory_peak", memory.peak() as u64);
    percent(report, "used_memory_peak_perc", used, memory.peak());
    report.field("used_memory_overhead", memory.overhead());
    report.field("used_memory_startup", memory.startup);
    report.field("used_memory_dataset", dataset);
    percent(report, "used_memory_dataset_perc", dataset, memory.net());
    if is_known {
        report.field("allocator_allocated", memory.host.allocated);
        report.field("allocator_active", memory.host.active);
        report.field("allocator_resident", memory.host.allocator_resident);
        report.field("allocator_muzzy", memory.host.muzzy);
    }
    if let Some(total) = process.memory_total {
        report.bytes("total_system_memory", total);
    }
    // There are no scripts yet.
    report.bytes("used_memory_lua", 0);
    report.bytes("used_memory_vm_total", 0);
    report.field("number_of_cached_scripts", 0);
    report.field("number_of_functions", 0);
    report.field("number_of_libraries", 0);
    report.bytes("used_memory_scripts", 0);
    report.bytes("maxmemory", server.config.read(parameter::MAXMEMORY) as u64);
    report.field(
        "maxmemory_policy",
        server.config.read(parameter::MAXMEMORY_POLICY).name(),
    );
    if is_known {
        let names = [
            "allocator_frag",
            "allocator_rss",
            "rss_overhead",
            "mem_fragmentation",
        ];
        for (name, excess) in names.into_iter().zip(memory.excesses()) {
            let ratio = excess.ratio();
            report.field(&format!("{name}_ratio"), format_args!("{ratio:.2}"));
            report.field(&format!("{name}_bytes"), excess.bytes());
        }
    }
    report.field("mem_not_counted_for_evict", server.uncounted_memory());
    report.field("mem_replication_backlog", 0);
    report.field("mem_total_replication_buffers", 0);
    report.field("mem_clients_slaves", 0);
    report.field("mem_clients_normal", memory.clients);
    report.field("mem_cluster_links", 0);
    report.field("mem_aof_buffer", 0);
    if let Some(allocator) = process.allocator {
        report.field("mem_allocator", allocator);
    }
    report.field("active_defrag_running", 0);
    report.field("lazyfree_pending_objects", server.keyspace.pending_frees());
    report.field("lazyfreed_objects", server.keyspace.lazy_frees());
}

/// A part of a whole.
fn percent(report: &mut Report, name: &str, part: usize, whole: usize) {
    report.field(name, format_args!("{:.2}%", percentage(part, whole)));
}

//! What memory is used for, as far as the host can tell.

use std::sync::atomic::Ordering::Relaxed;

use config::parameter;
use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let memory = server.host.memory();
    let process = server.host.process();
    let is_known = memory.allocated > 0;
    let dataset = server.keyspace.heap_bytes() as u64;
    let used = memory.allocated as u64;
    let resident = memory.resident as u64;
    let peak = memory.peak.max(memory.allocated) as u64;
    if is_known {
        report.bytes("used_memory", used);
        report.bytes("used_memory_rss", resident);
        report.bytes("used_memory_peak", peak);
        report.field("used_memory_peak_perc", Percent(used, peak));
        report.field("used_memory_overhead", used.saturating_sub(dataset));
    }
    report.field("used_memory_dataset", dataset);
    if is_known {
        report.field("used_memory_dataset_perc", Percent(dataset, used));
        report.field("allocator_allocated", memory.allocated);
        report.field("allocator_active", memory.active);
        report.field("allocator_resident", memory.allocator_resident);
    }
    if let Some(total) = process.memory_total {
        report.bytes("total_system_memory", total);
    }
    report.bytes("maxmemory", server.config.read(parameter::MAXMEMORY) as u64);
    report.field(
        "maxmemory_policy",
        server.config.read(parameter::MAXMEMORY_POLICY).name(),
    );
    if is_known {
        let allocator_resident = memory.allocator_resident as u64;
        ratio(report, "allocator_frag", memory.active as u64, used);
        ratio(
            report,
            "allocator_rss",
            allocator_resident,
            memory.active as u64,
        );
        ratio(report, "rss_overhead", resident, allocator_resident);
        ratio(report, "mem_fragmentation", resident, used);
    }
    let buffers = |client: &engine::clients::Client| {
        client.query_capacity.load(Relaxed) + client.output_bytes.load(Relaxed)
    };
    let clients = server.clients.all();
    let clients: usize = clients.iter().map(|client| buffers(client)).sum();
    report.field("mem_clients_normal", clients);
    if let Some(allocator) = process.allocator {
        report.field("mem_allocator", allocator);
    }
    report.field("active_defrag_running", 0);
    report.field("lazyfree_pending_objects", server.keyspace.pending_frees());
}

/// How much more `large` is than `small`, as a ratio and in bytes.
fn ratio(report: &mut Report, name: &str, large: u64, small: u64) {
    let ratio = large as f64 / small.max(1) as f64;
    report.field(&format!("{name}_ratio"), format_args!("{ratio:.2}"));
    report.field(&format!("{name}_bytes"), large as i64 - small as i64);
}

/// A part of a whole.
struct Percent(u64, u64);

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2}%", self.0 as f64 * 100.0 / self.1.max(1) as f64)
    }
}

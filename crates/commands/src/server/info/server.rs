//! What server this is.

use config::parameter;
use engine::{REDIS_VERSION, Server, VERSION};

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let process = server.host.process();
    let now_us = server.clock.now_us();
    let uptime_s = (now_us / 1000).saturating_sub(server.started_ms) / 1000;
    let config = &server.config;
    let port = config.read(parameter::PORT);
    report.field("redis_version", REDIS_VERSION);
    report.field("caracal_version", VERSION);
    report.field("redis_mode", "standalone");
    if let Some(system) = process.system {
        report.field("os", system);
    }
    report.field("arch_bits", usize::BITS);
    report.field("process_id", std::process::id());
    report.field("run_id", &server.run_id);
    report.field("tcp_port", port);
    report.field("server_time_usec", now_us);
    report.field("uptime_in_seconds", uptime_s);
    report.field("uptime_in_days", uptime_s / 86_400);
    report.field("hz", config.read(parameter::HZ));
    report.field("configured_hz", config.read(parameter::HZ));
    if let Some(executable) = process.executable {
        report.field("executable", executable.display());
    }
    let file = config.file().map(|path| path.display().to_string());
    report.field("multiplexing_api", "epoll");
    report.field("config_file", file.unwrap_or_default());
    report.field("io_threads_active", u8::from(server.stats.len() > 1));
    report.field("workers", server.stats.len());
    write_listeners(server, report, port);
}

fn write_listeners(server: &Server, report: &mut Report, port: i64) {
    let mut listeners = Vec::new();
    if port != 0 {
        let addresses = server.config.read(parameter::BIND);
        let addresses = addresses.iter().map(|address| {
            let sign = if address.is_optional { "-" } else { "" };
            format!("bind={sign}{},", address.host)
        });
        listeners.push(format!(
            "name=tcp,{}port={port}",
            addresses.collect::<String>()
        ));
    }
    let path = server.config.text(parameter::UNIXSOCKET);
    if !path.is_empty() {
        listeners.push(format!("name=unix,bind={path}"));
    }
    for (index, listener) in listeners.iter().enumerate() {
        report.field(&format!("listener{index}"), listener);
    }
}

//! The `caracal` binary.

use std::sync::Arc;

use config::{Config, Invocation};
use engine::{Clock, NoHost, Server};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    let Invocation::Serve(sources) = Invocation::parse(std::env::args_os().skip(1)) else {
        return;
    };
    let loaded = Config::load(&sources).unwrap();
    let config = Arc::new(loaded.config);
    let bound = net::Bound::open(&config).unwrap();
    let workers = (config.read(config::parameter::WORKERS) as usize).max(1);
    let server = Server::new(
        config,
        commands::all(),
        workers,
        Clock::System,
        Box::new(NoHost),
    );
    let ready = || println!("Ready to accept connections");
    net::run(&Arc::new(server), bound, &net::Shutdown::default(), ready).unwrap();
}

//! How often each error was answered, by its code.

use std::collections::BTreeMap;

use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for stats in &server.stats {
        for (code, count) in stats.by_error.lock().iter() {
            *sums.entry(code.clone()).or_default() += count;
        }
    }
    for (code, count) in sums {
        // A script can make up a code that would look like another field.
        let code = code.replace(|c: char| c == ':' || c.is_control(), "_");
        report.field(&format!("errorstat_{code}"), format_args!("count={count}"));
    }
}

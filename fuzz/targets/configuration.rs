//! redis.conf syntax and CONFIG SET values: errors, never panics, and a value that was taken is shown in
//! a form that is taken again.

#![no_main]

use std::sync::OnceLock;

use config::{Config, Origin, parameters};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    let config = CONFIG.get_or_init(Config::new);
    let (index, value) = input;
    let parameter = &parameters()[usize::from(index) % parameters().len()];
    let name = parameter.name.as_bytes();
    if config.set(&[(name, value)], Origin::Local).is_ok() {
        for (name, shown) in config.get(&[name]) {
            config
                .set(&[(name.as_bytes(), &shown)], Origin::Local)
                .unwrap_or_else(|error| panic!("{name} shows {shown:?}: {error}"));
            assert_eq!(config.get(&[name.as_bytes()])[0].1, shown);
        }
    }
    let _ = resp::request::split_quoted(value);
});

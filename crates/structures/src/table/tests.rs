//! The table against the standard library's map.

use super::*;

struct Item {
    key: u64,
    value: u64,
}

impl Hashed for Item {
    fn table_hash(&self) -> u64 {
        hash_of(self.key)
    }
}

fn hash_of(key: u64) -> u64 {
    crate::hash::hash(&key.to_le_bytes())
}

#[test]
fn the_header_is_one_cache_line() {
    assert_eq!(size_of::<Table<Box<Item>>>(), 64);
}

#[test]
fn grows_and_shrinks() {
    let mut table: Table<Box<Item>> = Table::new();
    for key in 0..20_000 {
        assert!(table.find(hash_of(key), |item| item.key == key).is_none());
        match table.entry(hash_of(key), |item| item.key == key) {
            Slot::Vacant(vacant) => drop(vacant.insert(Box::new(Item {
                key,
                value: key * 2,
            }))),
            Slot::Occupied(_) => panic!("{key} is not there yet"),
        }
        assert_eq!(table.len() as u64, key + 1);
    }
    for key in 0..20_000 {
        let found = table
            .find(hash_of(key), |item| item.key == key)
            .expect("it is there");
        assert_eq!(found.value, key * 2);
    }
    assert_eq!(table.iter().count(), 20_000);
    for key in 0..20_000 {
        let place = table
            .find_mut(hash_of(key), |item| item.key == key)
            .expect("it is there");
        assert_eq!(place.remove().value, key * 2);
    }
    assert_eq!((table.len(), table.heap_bytes()), (0, 0));
}

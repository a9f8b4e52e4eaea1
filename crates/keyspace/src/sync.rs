//! The two things that keep workers apart: a lock per shard, and the gate.
//!
//! Under `--cfg loom` both stand on loom's model of the memory, and the tests at the end run through
//! the interleavings of a few preemptions.

use std::ops::{Deref, DerefMut};

#[cfg(loom)]
use loom::{
    sync::Mutex as RawMutex,
    sync::MutexGuard as RawGuard,
    sync::atomic::{AtomicBool, AtomicU32, Ordering, fence},
    thread::yield_now,
};
#[cfg(not(loom))]
use parking_lot::{Mutex as RawMutex, MutexGuard as RawGuard};
#[cfg(not(loom))]
use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering, fence},
    thread::yield_now,
};

/// A mutual exclusion lock: one byte, a compare-and-swap when nobody holds it. A panic while it is
/// held does not poison it.
#[derive(Debug, Default)]
pub struct Lock<T>(RawMutex<T>);

/// Access to what a [`Lock`] protects, until dropped.
#[derive(Debug)]
pub struct LockGuard<'a, T>(RawGuard<'a, T>);

impl<T> Lock<T> {
    /// An open lock around `value`.
    pub fn new(value: T) -> Self {
        Lock(RawMutex::new(value))
    }

    /// Waits for the lock.
    #[inline]
    pub fn lock(&self) -> LockGuard<'_, T> {
        #[cfg(loom)]
        return LockGuard(self.0.lock().unwrap());
        #[cfg(not(loom))]
        LockGuard(self.0.lock())
    }

    /// Takes the lock if nobody holds it.
    #[inline]
    pub fn try_lock(&self) -> Option<LockGuard<'_, T>> {
        #[cfg(loom)]
        return self.0.try_lock().ok().map(LockGuard);
        #[cfg(not(loom))]
        self.0.try_lock().map(LockGuard)
    }
}

impl<T> Deref for LockGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for LockGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Shared by workers for a batch of commands at a time, exclusive for what concerns the whole
/// keyspace at one instant (FLUSHALL, the cut of a snapshot).
///
/// Each worker announces itself in a cache line of its own, so entering costs one store and one
/// load that no other worker's entering disturbs; a read-write lock would have all workers write
/// one line. Whoever wants exclusivity pays instead: it raises `wanted` and waits until it has seen
/// every worker outside.
///
/// Order of acquisition: gate, then shard locks. A worker inside waits only for shard locks, whose
/// holders are inside too and go on, so the gate always gets its turn.
#[derive(Debug)]
pub struct Gate {
    inside: Box<[Padded]>,
    wanted: AtomicBool,
    exclusive: Lock<()>,
}

#[derive(Debug)]
#[repr(align(128))]
struct Padded(AtomicU32);

/// A worker is inside the gate until this is dropped.
#[derive(Debug)]
pub struct Shared<'a> {
    flag: &'a AtomicU32,
}

/// Nobody else is inside the gate until this is dropped.
#[derive(Debug)]
pub struct Exclusive<'a> {
    gate: &'a Gate,
    _turn: LockGuard<'a, ()>,
}

impl Gate {
    /// A gate for `workers` workers.
    pub fn new(workers: usize) -> Self {
        Gate {
            inside: (0..workers).map(|_| Padded(AtomicU32::new(0))).collect(),
            wanted: AtomicBool::new(false),
            exclusive: Lock::new(()),
        }
    }

    /// Enters as `worker`, who must be outside, waiting while somebody is exclusive.
    #[inline]
    pub fn enter(&self, worker: usize) -> Shared<'_> {
        let flag = &self.inside[worker].0;
        loop {
            // The fence has its like in `exclusive`: of a worker that enters and another that wants
            // exclusivity, at least one sees the other.
            flag.store(1, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            if !self.wanted.load(Ordering::Acquire) {
                return Shared { flag };
            }
            self.step_back(flag);
        }
    }

    #[cold]
    fn step_back(&self, flag: &AtomicU32) {
        flag.store(0, Ordering::Release);
        // Sleeps until the exclusive one is done.
        drop(self.exclusive.lock());
    }

    /// Waits until every worker is outside and keeps them there. The caller is outside itself and
    /// holds no shard.
    pub fn exclusive(&self) -> Exclusive<'_> {
        let turn = self.exclusive.lock();
        self.wanted.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        for flag in &self.inside {
            while flag.0.load(Ordering::Acquire) != 0 {
                yield_now();
            }
        }
        Exclusive {
            gate: self,
            _turn: turn,
        }
    }
}

impl Drop for Shared<'_> {
    #[inline]
    fn drop(&mut self) {
        self.flag.store(0, Ordering::Release);
    }
}

impl Drop for Exclusive<'_> {
    fn drop(&mut self) {
        self.gate.wanted.store(false, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// What the gate protects when someone is exclusive, and a shard lock when nobody is. loom's
    /// cell reports any two accesses that are not ordered.
    struct Data(UnsafeCell<u32>);

    impl Data {
        fn add(&self) {
            // SAFETY: exactly what the test checks: the access is exclusive.
            #[allow(unsafe_code)]
            self.0.with_mut(|value| unsafe { *value += 1 });
        }
    }

    // SAFETY: every access is under the gate or the lock; loom panics if not.
    #[allow(unsafe_code)]
    unsafe impl Sync for Data {}

    #[test]
    fn loom_gate_excludes_workers() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new((Gate::new(2), Lock::new(()), Data(UnsafeCell::new(0))));
            let worker = |index: usize| {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (gate, shard, data) = &*shared;
                    let _inside = gate.enter(index);
                    let _shard = shard.lock();
                    data.add();
                })
            };
            let workers = [worker(0), worker(1)];
            {
                let (gate, _, data) = &*shared;
                let _alone = gate.exclusive();
                data.add();
            }
            for worker in workers {
                worker.join().unwrap();
            }
            // SAFETY: all threads have ended.
            #[allow(unsafe_code)]
            shared.2.0.with(|value| assert_eq!(unsafe { *value }, 3));
        });
    }

    /// Two workers take two shards, in ascending order, while a third party wants the gate for
    /// itself: nobody waits for ever. (A run's `try_lock` never waits, so it can't be part of a
    /// cycle; loom takes it for a lock that does, and so it is not modelled.)
    #[test]
    fn loom_ordered_locks_and_the_gate_do_not_deadlock() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let shared = Arc::new((Gate::new(2), [Lock::new(0u32), Lock::new(0u32)]));
            let worker = |index: usize| {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (gate, shards) = &*shared;
                    let _inside = gate.enter(index);
                    let mut low = shards[0].lock();
                    let mut high = shards[1].lock();
                    *low += 1;
                    *high += 1;
                })
            };
            let workers = [worker(0), worker(1)];
            {
                let _alone = shared.0.exclusive();
                let (low, high) = (*shared.1[0].lock(), *shared.1[1].lock());
                assert_eq!(low, high, "a worker was seen midway");
            }
            for worker in workers {
                worker.join().unwrap();
            }
            assert_eq!(*shared.1[0].lock(), 2);
        });
    }

    #[test]
    fn loom_two_exclusives_take_turns() {
        loom::model(|| {
            let shared = Arc::new((Gate::new(1), Data(UnsafeCell::new(0))));
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let _alone = shared.0.exclusive();
                    shared.1.add();
                })
            };
            {
                let _alone = shared.0.exclusive();
                shared.1.add();
            }
            other.join().unwrap();
            let _inside = shared.0.enter(0);
        });
    }
}

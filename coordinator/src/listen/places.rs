//! How much each address may have at one time, so that one of them cannot take all the room.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// So many places for each address; clones share them.
#[derive(Clone)]
pub(crate) struct Places {
    most: usize,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A place that is taken until this is dropped.
pub(crate) struct Place {
    of: IpAddr,
    places: Places,
}

impl Places {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// Returns how many places each address has.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes a place, if the address has one left.
    pub(crate) fn take(&self, address: IpAddr) -> Option<Place> {
        let of = household(address);
        let mut taken = self.taken();
        let count = taken.entry(of).or_insert(0);
        if *count >= self.most {
            return None;
        }
        *count += 1;
        drop(taken);
        Some(Place { of, places: self.clone() })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Nothing panics while it holds the lock.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.places.taken().entry(self.of) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Returns what stands for all addresses that one household has: of IPv6, it has 2^64 of them.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_places_and_others_have_theirs() {
        let places = Places::new(2);
        let [one, same, other] = ["2001:db8::1", "2001:db8::2", "::ffff:10.0.0.1"]
            .map(|address| address.parse().expect("an address"));
        let held = (places.take(one), places.take(same));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(places.take(one).is_none() && places.take(same).is_none());
        assert!(places.take(other).is_some());
        drop(held.0);
        assert!(places.take(same).is_some());
        drop(held.1);
        assert!(places.taken().is_empty());
    }
}

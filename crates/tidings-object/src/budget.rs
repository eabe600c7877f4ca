//! Which objects stay decoded: a bound in bytes, shared by the informers of a factory.

/// A bound on the memory of decoded objects.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
}

impl Budget {
    /// The default of a factory: 64 MiB.
    pub const DEFAULT_BYTES: u64 = 64 << 20;

    /// Keeps about this many bytes of decoded objects; 0 keeps none.
    pub fn bytes(limit_bytes: u64) -> Budget {
        Budget { limit_bytes }
    }

    /// Keeps everything that was ever decoded, as long as its object is cached.
    pub fn unlimited() -> Budget {
        Budget { limit_bytes: u64::MAX }
    }

    /// The bound.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// An estimate of what is kept now.
    pub fn used_bytes_estimate(&self) -> u64 {
        0
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::bytes(Budget::DEFAULT_BYTES)
    }
}

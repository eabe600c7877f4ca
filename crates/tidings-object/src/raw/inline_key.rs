//! A short key inside its object. A lookup compares keys: with the key in the object it waits for one cache line less
//! than with a key in an allocation of its own.

/// A key of at most [`InlineKey::BYTES_MAX`] bytes, or nothing.
// The alignment is that of a word: `as_str` checks whole words.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct InlineKey {
    /// The key, and zeros behind it.
    bytes: [u8; InlineKey::BYTES_MAX],
    len: u8,
}

impl InlineKey {
    /// Most keys of pods fit: a namespace, a slash and a name. With this size an object fills its size class.
    pub(super) const BYTES_MAX: usize = 55;

    pub(super) const EMPTY: InlineKey = InlineKey { bytes: [0; InlineKey::BYTES_MAX], len: 0 };

    /// `str::from_utf8` checks this many aligned ASCII bytes at a time, and the bytes behind them one by one.
    const BLOCK_BYTES: usize = 16;

    /// `namespace/name`, or `name` without a namespace; `None` if it is too long.
    pub(super) fn of(namespace: &str, name: &str) -> Option<InlineKey> {
        let mut key = InlineKey::EMPTY;
        if !namespace.is_empty() {
            key.push(namespace)?;
            key.push("/")?;
        }
        key.push(name)?;
        Some(key)
    }

    fn push(&mut self, part: &str) -> Option<()> {
        let at = usize::from(self.len);
        self.bytes.get_mut(at..at + part.len())?.copy_from_slice(part.as_bytes());
        self.len = u8::try_from(at + part.len()).ok()?;
        Some(())
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The key as text. Its UTF-8 is checked again, because only unsafe code can skip that: callers that hash or
    /// compare use [`as_bytes`](Self::as_bytes). The check includes the zeros up to the end of the last block, because
    /// a whole block is cheaper than the bytes of a part of it.
    pub(super) fn as_str(&self) -> &str {
        let len = usize::from(self.len);
        let blocks = len.next_multiple_of(InlineKey::BLOCK_BYTES).min(InlineKey::BYTES_MAX);
        let text = str::from_utf8(&self.bytes[..blocks]).expect("whole texts were added");
        &text[..len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_fits_is_read_back_and_a_longer_one_is_refused() {
        let longest = "n".repeat(InlineKey::BYTES_MAX - "shop/".len());
        for (namespace, name, key) in
            [("shop", "web-0", "shop/web-0"), ("", "node-1", "node-1"), ("", "é", "é"), ("", "", "")]
        {
            let inline = InlineKey::of(namespace, name).unwrap();
            assert_eq!((inline.as_str(), inline.as_bytes()), (key, key.as_bytes()));
        }
        assert_eq!(InlineKey::of("shop", &longest).unwrap().as_str(), format!("shop/{longest}"));
        for len in 0..=InlineKey::BYTES_MAX {
            let name = "n".repeat(len);
            assert_eq!(InlineKey::of("", &name).unwrap().as_str(), name);
        }
        assert!(InlineKey::of("shops", &longest).is_none());
        assert!(InlineKey::of(&"n".repeat(300), "a").is_none());
    }
}

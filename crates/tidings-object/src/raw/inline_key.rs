//! A short key inside its object. A lookup compares keys: with the key in the object it waits for one cache line less
//! than with a key in an allocation of its own.

/// The bytes of a key of at most [`InlineKey::BYTES_MAX`] bytes. Its length is stored beside it.
// The alignment is that of a word: `text` checks whole words.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct InlineKey {
    /// The key, and zeros behind it.
    bytes: [u8; InlineKey::BYTES_MAX],
}

impl InlineKey {
    /// Most keys of pods fit: a namespace, a slash and a name. With this size an object fills its size class, and the
    /// key is in one cache line.
    pub(super) const BYTES_MAX: usize = 48;

    /// The same, as the type of stored lengths.
    pub(super) const LEN_MAX: u16 = InlineKey::BYTES_MAX as u16;

    pub(super) const EMPTY: InlineKey = InlineKey { bytes: [0; InlineKey::BYTES_MAX] };

    /// `str::from_utf8` checks this many aligned ASCII bytes at a time, and the bytes behind them one by one.
    const BLOCK_BYTES: usize = 16;

    /// `namespace/name`, or `name` without a namespace, with its length; `None` if it is too long.
    pub(super) fn of(namespace: &str, name: &str) -> Option<(InlineKey, u16)> {
        let (mut key, mut len) = (InlineKey::EMPTY, 0);
        if !namespace.is_empty() {
            key.push(&mut len, namespace)?;
            key.push(&mut len, "/")?;
        }
        key.push(&mut len, name)?;
        Some((key, u16::try_from(len).ok()?))
    }

    fn push(&mut self, len: &mut usize, part: &str) -> Option<()> {
        let end = *len + part.len();
        self.bytes.get_mut(*len..end)?.copy_from_slice(part.as_bytes());
        *len = end;
        Some(())
    }

    /// The bytes of the key, which has this length.
    #[inline]
    pub(super) fn bytes(&self, len: usize) -> &[u8] {
        &self.bytes[..len]
    }

    /// The key, which has this length, as text. Its UTF-8 is checked again, because only unsafe code can skip that:
    /// callers that hash or compare use [`bytes`](Self::bytes). The check includes the zeros up to the end of the last
    /// block, because a whole block is cheaper than the bytes of a part of it.
    pub(super) fn text(&self, len: usize) -> &str {
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
        let text = |namespace: &str, name: &str| {
            let (key, len) = InlineKey::of(namespace, name)?;
            assert_eq!(key.text(len.into()).as_bytes(), key.bytes(len.into()));
            Some(key.text(len.into()).to_owned())
        };
        let longest = "n".repeat(InlineKey::BYTES_MAX - "shop/".len());
        for (namespace, name, key) in
            [("shop", "web-0", "shop/web-0"), ("", "node-1", "node-1"), ("", "é", "é"), ("", "", "")]
        {
            assert_eq!(text(namespace, name).as_deref(), Some(key));
        }
        assert_eq!(text("shop", &longest), Some(format!("shop/{longest}")));
        for len in 0..=InlineKey::BYTES_MAX {
            let name = "n".repeat(len);
            assert_eq!(text("", &name), Some(name));
        }
        assert_eq!(text("shops", &longest), None);
        assert_eq!(text(&"n".repeat(300), "a"), None);
    }
}

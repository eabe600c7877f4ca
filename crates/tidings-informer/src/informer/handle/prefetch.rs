//! Fields that are read when an object arrives.

use tidings_object::{FieldPath, ParseError};

use crate::informer::handle::SharedInformer;

impl<K> SharedInformer<K> {
    /// Reads this field of every object that arrives from now on, while its bytes are at hand, and keeps its values
    /// beside the identity. Reading the field then unpacks nothing. Call it before the informer starts, for fields that
    /// are read of most objects.
    ///
    /// There is room for four fields with short values; other fields are read from the body, with the same result. An
    /// index by a field does this for its field, and a function of a derived collection does it for the fields that it
    /// has read.
    pub fn prefetch_field(&self, path: &str) -> Result<(), ParseError> {
        self.shared.intake.origin().prefetch_field(&FieldPath::parse(path)?);
        Ok(())
    }
}

//! Skips a value and checks all of it. This is the specification of [`JsonCursor::skip_value`], which checks only what
//! is not inside a container: the tests and the fuzzer compare both.

use super::nesting::{Container, Nesting};
use super::{JsonCursor, JsonError};

impl JsonCursor<'_> {
    /// Skips one value of any type and depth, and checks that it is well-formed.
    pub(crate) fn skip_checked(&mut self) -> Result<(), JsonError> {
        let mut open = Nesting::default();
        loop {
            match self.peek() {
                b'"' => {
                    self.skip_string()?;
                }
                b'{' => {
                    if self.enter_object()? {
                        open.push(Container::Object);
                        self.skip_key()?;
                        continue;
                    }
                }
                b'[' => {
                    if self.enter_array()? {
                        open.push(Container::Array);
                        continue;
                    }
                }
                _ => self.skip_scalar()?,
            }
            // A value has ended. Close the containers that end with it.
            loop {
                match open.innermost() {
                    None => return Ok(()),
                    Some(Container::Object) => {
                        if self.has_next_member()? {
                            self.skip_key()?;
                            break;
                        }
                    }
                    Some(Container::Array) => {
                        if self.has_next_item()? {
                            break;
                        }
                    }
                }
                open.pop();
            }
        }
    }

    fn skip_key(&mut self) -> Result<(), JsonError> {
        self.skip_string()?;
        self.colon()
    }
}

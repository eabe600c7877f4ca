//! The message of a panic.

use std::any::Any;

/// The message of a caught panic, or `no message` if its payload is not a text.
///
/// ```
/// let panic = std::panic::catch_unwind(|| panic!("out of {}", "tea")).unwrap_err();
/// assert_eq!(tidings_util::panic_message(&*panic), "out of tea");
/// ```
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let literal = payload.downcast_ref::<&str>().copied();
    let message = literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_formatted_texts_and_other_payloads_have_a_message() {
        let payloads: [(Box<dyn Any + Send>, &str); 3] = [
            (Box::new("literal"), "literal"),
            (Box::new("text".to_owned()), "text"),
            (Box::new(7), "no message"),
        ];
        for (payload, message) in payloads {
            assert_eq!(panic_message(&*payload), message);
        }
    }
}

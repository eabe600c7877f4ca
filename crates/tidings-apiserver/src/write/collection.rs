//! DELETE of a collection: all selected objects.

use http::Response;

use super::delete::delete;
use super::delete_options::DeleteOptions;
use super::{WriteRequest, with_type_meta};
use crate::body::ResponseBody;
use crate::read::list::{self, ListPage, range};
use crate::request::{Representation, Selection};
use crate::status::ApiError;
use crate::wire::ListMeta;

/// Deletes all selected objects and answers with their list.
pub(super) fn answer(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &[u8],
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    let (core, def, options) = (request.core, request.def, request.options);
    let deletion = DeleteOptions::parse(options, content_type, sent)?;
    let selection = Selection::of(def, options, core.settings.shard_selectors)?;
    let version = core.store.version();
    let read = core.store.snapshot(&def.storage, &range(request.namespace), usize::MAX, None);
    let mut objects = read.map(|snapshot| snapshot.objects).unwrap_or_default();
    objects.retain(|object| selection.is_everything() || selection.matches(object));
    for object in &objects {
        request.review(Some(&with_type_meta(def, object)), None)?;
    }
    for object in &objects {
        match delete(core, def, object.key(), &deletion) {
            Err(error) if error.code != 404 => return Err(error),
            _ => {}
        }
    }
    let shard = selection.shard().map(ToString::to_string);
    let meta = ListMeta { version, shard, ..ListMeta::default() };
    list::response(core, def, options, representation, ListPage { meta, objects })
}

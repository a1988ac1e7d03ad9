//! The metaschemas of all dialects, to which schemas may refer without a registry.
//!
//! ```text
//! {"$ref": "http://json-schema.org/draft-07/schema#"}     any schema of draft 7
//! ```

/// By URI: the text of a published metaschema.
pub const METASCHEMAS: &[(&str, &str)] = &[
    ("https://json-schema.org/draft/2019-09/meta/applicator", include_str!("metaschemas/2019-09-applicator.json")),
    ("https://json-schema.org/draft/2019-09/meta/content", include_str!("metaschemas/2019-09-content.json")),
    ("https://json-schema.org/draft/2019-09/meta/core", include_str!("metaschemas/2019-09-core.json")),
    ("https://json-schema.org/draft/2019-09/meta/format", include_str!("metaschemas/2019-09-format.json")),
    ("https://json-schema.org/draft/2019-09/meta/meta-data", include_str!("metaschemas/2019-09-meta-data.json")),
    ("https://json-schema.org/draft/2019-09/meta/validation", include_str!("metaschemas/2019-09-validation.json")),
    ("https://json-schema.org/draft/2019-09/schema", include_str!("metaschemas/2019-09.json")),
    ("https://json-schema.org/draft/2020-12/meta/applicator", include_str!("metaschemas/2020-12-applicator.json")),
    ("https://json-schema.org/draft/2020-12/meta/content", include_str!("metaschemas/2020-12-content.json")),
    ("https://json-schema.org/draft/2020-12/meta/core", include_str!("metaschemas/2020-12-core.json")),
    (
        "https://json-schema.org/draft/2020-12/meta/format-annotation",
        include_str!("metaschemas/2020-12-format-annotation.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/format-assertion",
        include_str!("metaschemas/2020-12-format-assertion.json"),
    ),
    ("https://json-schema.org/draft/2020-12/meta/meta-data", include_str!("metaschemas/2020-12-meta-data.json")),
    ("https://json-schema.org/draft/2020-12/meta/unevaluated", include_str!("metaschemas/2020-12-unevaluated.json")),
    ("https://json-schema.org/draft/2020-12/meta/validation", include_str!("metaschemas/2020-12-validation.json")),
    ("https://json-schema.org/draft/2020-12/schema", include_str!("metaschemas/2020-12.json")),
    ("http://json-schema.org/draft-04/schema", include_str!("metaschemas/draft4.json")),
    ("http://json-schema.org/draft-06/schema", include_str!("metaschemas/draft6.json")),
    ("http://json-schema.org/draft-07/schema", include_str!("metaschemas/draft7.json")),
];

//! The requests of `routes.rs`, by the name of their route. A test of the server (`src/server/route.rs`) holds this
//! table against its routes: a new route, or a new method of one, needs its lines here.
//!
//! `ID` is a stored program, `NONE` one that does not exist, `GONE` one that was taken down.

/// Headers with a part of their values; an empty value: there is no such header.
pub(crate) type Headers = &'static [(&'static str, &'static str)];

/// The name of the route, the request, and its answer.
pub(crate) type Line = (&'static str, &'static str, u16, Headers);

pub(crate) const TABLE: &[Line] = &[
    ("file", "GET /", 200, PAGE),
    ("file", "GET /index.html", 200, PAGE),
    ("file", "GET /app-0123456789.js", 200, PAGE),
    ("file", "GET /nothing", 404, PAGE),
    ("file", "GET /metrics", 404, PAGE),
    ("file", "GET /v/0.0.9/", 200, PAGE),
    ("file", "GET /v/0.0.9/nothing", 404, PAGE),
    ("file", "GET /embed/", 200, EMBED),
    ("file", "GET /embed.js", 200, EMBED),
    ("file", "GET /v/0.0.9/embed/", 200, EMBED),
    ("link", "GET /s/ID", 200, PAGE),
    ("link", "GET /s/NONE", 404, PAGE),
    ("link", "GET /s/GONE", 410, PAGE),
    ("embed", "GET /embed/ID", 302, EMBED),
    ("embed", "GET /embed/NONE", 404, EMBED),
    ("embed", "GET /embed/GONE", 410, EMBED),
    ("preview", "GET /preview/ID.svg", 200, PICTURE),
    ("preview", "GET /preview/ID.png", 200, PICTURE),
    ("preview", "GET /preview/NONE.svg", 404, PICTURE),
    ("preview", "GET /preview/NONE.png", 404, PICTURE),
    ("preview", "GET /preview/GONE.svg", 410, PICTURE),
    ("preview", "GET /preview/GONE.png", 410, PICTURE),
    ("about", "GET /api/v1/", 200, API),
    ("about", "GET /v/0.0.9/api/v1/", 200, API),
    ("about", "OPTIONS /api/v1/", 204, API),
    ("share", "POST /api/v1/programs", 200, API),
    ("share", "GET /api/v1/programs", 405, API),
    ("share", "OPTIONS /api/v1/programs", 204, API),
    ("program", "GET /api/v1/programs/ID", 200, API),
    ("program", "GET /v/0.0.9/api/v1/programs/ID", 200, API),
    ("program", "GET /api/v1/programs/NONE", 404, API),
    ("program", "GET /api/v1/programs/GONE", 410, API),
    ("program", "OPTIONS /api/v1/programs/ID", 204, API),
    ("check", "POST /api/v1/check", 200, API),
    ("check", "GET /api/v1/check", 405, API),
    ("check", "OPTIONS /api/v1/check", 204, API),
    ("graph", "POST /api/v1/graph", 200, API),
    ("graph", "GET /api/v1/graph", 405, API),
    ("graph", "OPTIONS /api/v1/graph", 204, API),
    ("format", "POST /api/v1/format", 200, API),
    ("format", "GET /api/v1/format", 405, API),
    ("format", "OPTIONS /api/v1/format", 204, API),
    ("simulate", "POST /api/v1/simulate", 200, API),
    ("simulate", "GET /api/v1/simulate", 405, API),
    ("simulate", "OPTIONS /api/v1/simulate", 204, API),
    ("openapi", "GET /api/v1/openapi.json", 200, API),
    ("openapi", "OPTIONS /api/v1/openapi.json", 204, API),
    ("healthz", "GET /healthz", 200, PLAIN),
    ("readyz", "GET /readyz", 200, PLAIN),
    ("moved", "GET /s/ID/", 308, PLAIN),
    ("moved", "GET /embed/ID/", 308, PLAIN),
    ("moved", "GET /embed", 308, PLAIN),
    ("moved", "GET /v/0.0.9", 308, PLAIN),
    ("unknown", "GET /api/v1/other", 404, API),
    ("unknown", "POST /api/v1/other", 404, API),
    ("unknown", "OPTIONS /api/v1/other", 204, API),
    ("unknown", "GET /v/9.9.9/", 404, PLAIN),
    ("unknown", "POST /s/", 405, PLAIN),
    ("unknown", "OPTIONS /s/", 405, PLAIN),
];

/// Pages may not be framed, and run only the site's own scripts.
pub(crate) const PAGE: Headers = &[
    ("content-security-policy", "frame-ancestors 'none'"),
    ("content-security-policy", "default-src 'none'"),
    ("content-security-policy", "script-src 'self' 'wasm-unsafe-eval';"),
    ("access-control-allow-origin", ""),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=()"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const EMBED: Headers = &[
    ("content-security-policy", "frame-ancestors *"),
    ("content-security-policy", "default-src 'none'"),
    ("content-security-policy", "script-src 'self' 'wasm-unsafe-eval';"),
    ("access-control-allow-origin", ""),
    ("cross-origin-resource-policy", "cross-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", ""),
];
pub(crate) const API: Headers = &[
    (
        "content-security-policy",
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    ),
    ("access-control-allow-origin", "*"),
    ("cross-origin-resource-policy", "cross-origin"),
    ("content-type", "application/json"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const PICTURE: Headers = &[
    ("content-security-policy", "frame-ancestors 'none'; sandbox"),
    ("access-control-allow-origin", ""),
    ("cross-origin-resource-policy", "cross-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
/// Also for the address of the metrics.
pub(crate) const PLAIN: Headers = &[
    ("content-security-policy", "default-src 'none'"),
    ("content-security-policy", "frame-ancestors 'none'; sandbox"),
    ("access-control-allow-origin", ""),
    ("cross-origin-resource-policy", "same-origin"),
    ("content-type", "text/plain"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

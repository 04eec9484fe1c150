//! Modules `net` and `net/http`. Functions spec, 7.13 and 15.8.

mod address;
mod cidr;
mod first_last;
mod hostport;
mod http;
pub(crate) mod interfaces;
mod mac;
mod prefix;
mod url;

pub(super) static DEFS: &[&super::FnDef] = &[
    &cidr::TO_IP,
    &cidr::TO_PREFIX,
    &cidr::TO_MASK,
    &cidr::TO_NETWORK,
    &first_last::FIRST,
    &first_last::LAST,
    &interfaces::CIDR,
    &cidr::CONTAINS,
    &mac::IS,
    &mac::FORMAT,
    &mac::OLD_FORMAT,
    &interfaces::MACS,
    &hostport::DEF,
    &url::DEF,
    &interfaces::WIRED,
    &http::RESPONSE,
];

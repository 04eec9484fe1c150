//! [`Refusal`]: a default route that rejects all packets, as after `ip route replace unreachable default`. A gateway
//! after it is never used.

use netlink_packet_core::{DecodeError, Parseable};
use netlink_packet_route::route::{RouteAttribute, RouteHeader, RouteMessage, RouteType};

/// A default route that refuses every packet.
pub(super) struct Refusal {
    pub(super) kind: RouteType,
    pub(super) metric: u32,
    /// In IPv6 the loopback interface.
    pub(super) over: Option<u32>,
}

impl Refusal {
    /// Parses the route of a message; `None` for any other route.
    pub(super) fn of(body: &[u8]) -> Result<Option<Refusal>, DecodeError> {
        let header = RouteHeader::parse(body)?;
        let refuses = matches!(header.kind, RouteType::Unreachable | RouteType::BlackHole | RouteType::Prohibit);
        // Other packets pass one for a type of service or for some senders.
        let is_for_all = header.destination_prefix_length == 0 && header.source_prefix_length == 0 && header.tos == 0;
        if header.table != RouteHeader::RT_TABLE_MAIN || !refuses || !is_for_all {
            return Ok(None);
        }
        let mut refusal = Refusal { kind: header.kind, metric: 0, over: None };
        for attribute in RouteMessage::parse(body)?.attributes {
            match attribute {
                RouteAttribute::Priority(metric) => refusal.metric = metric,
                RouteAttribute::Oif(link) => refusal.over = Some(link),
                _ => {}
            }
        }
        Ok(Some(refusal))
    }
}

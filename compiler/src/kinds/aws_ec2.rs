//! `aws:ec2`: Keeps an EC2 instance (found by name tag) running, stopped or terminated. Resource
//! spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `aws:ec2`.
pub(crate) struct AwsEc2;

static DECL: KindDecl = KindDecl {
    name: "aws:ec2",
    doc: "Keeps an EC2 instance (found by name tag) running, stopped or terminated.",
    fields: &[
        Field::str("state", "State", "running, stopped or terminated (mandatory).").required(),
        Field::str("region", "Region", "AWS region from a fixed list (mandatory).").required(),
        Field::str("type", "Type", "Instance type (mandatory).").required(),
        Field::str("imageid", "ImageID", "AMI id (mandatory).").required(),
        Field::str("watchendpoint", "WatchEndpoint", "Public URL of the SNS endpoint."),
        Field::str(
            "watchlistenaddr",
            "WatchListenAddr",
            "Local listen address of the SNS endpoint; enables push events.",
        ),
        Field::bool("erroronmalformedpost", "ErrorOnMalformedPost", "Fail the watch on a malformed notification."),
        Field::str("userdata", "UserData", "First-boot user data."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for AwsEc2 {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}

//! `aws:ec2`: Keeps an EC2 instance (found by name tag) running, stopped or terminated. Resource
//! spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::{known_state, one_of};
use crate::kinds::{Field, Kind, KindDecl, Traits, Want};

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
        Field::str("userdata", "UserData", "First-boot user data.").secret(),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for AwsEc2 {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["running", "stopped", "terminated"])?;
        one_of(&want.text("region"), REGIONS, || "region must be a valid AWS endpoint".into())?;
        ensure(!want.text("type").is_empty(), "no instance type specified")?;
        ensure(!want.text("imageid").is_empty(), "no image specified")?;
        let together = want.text("watchendpoint").is_empty() == want.text("watchlistenaddr").is_empty();
        ensure(together, "set both `watchendpoint` and `watchlistenaddr`, or neither")
    }
}

/// The regions that an instance can be in.
static REGIONS: &[&str] = &[
    "af-south-1",
    "ap-east-1",
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-northeast-3",
    "ap-south-1",
    "ap-south-2",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "ap-southeast-4",
    "ap-southeast-5",
    "ca-central-1",
    "ca-west-1",
    "eu-central-1",
    "eu-central-2",
    "eu-north-1",
    "eu-south-1",
    "eu-south-2",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "il-central-1",
    "me-central-1",
    "me-south-1",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-west-1",
    "us-west-2",
];

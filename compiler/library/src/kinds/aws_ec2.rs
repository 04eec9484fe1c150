//! `aws:ec2`: keeps an EC2 instance (found by name tag) running, stopped or terminated. Resource spec, 9.

use crate::diag::suggest;
use crate::kinds::rented::Rented;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state, one_of};
use crate::kinds::walk::Walk;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::cloud::{Action, Cloud, Machine, Order, Stand, Wait};
use crate::vocab::password::Secret;
use crate::vocab::{Watch, time};

/// The kind `aws:ec2`.
pub(crate) struct AwsEc2;

/// EC2 has no events, so it is polled. Units: milliseconds.
const PERIOD_MS: u64 = 60_000;
const WAIT: Wait = Wait { interval_ms: 2_000, limit_ms: 400_000 };

static DECL: KindDecl = KindDecl {
    name: "aws:ec2",
    doc: "Keeps an EC2 instance, identified by its name tag, running, stopped or terminated.",
    fields: &[
        Field::str("state", "State", "`running`, `stopped` or `terminated`.").required(),
        Field::str("region", "Region", "AWS region.").required(),
        Field::str("type", "Type", "Instance type.").required(),
        Field::str("imageid", "ImageID", "AMI id.").required(),
        Field::str("watchendpoint", "WatchEndpoint", "Public URL of the SNS endpoint."),
        Field::str(
            "watchlistenaddr",
            "WatchListenAddr",
            "Local listen address of the SNS endpoint; enables push events.",
        ),
        Field::bool("erroronmalformedpost", "ErrorOnMalformedPost", "Fail the watch on a malformed notification."),
        Field::str("userdata", "UserData", "User data for the first boot.").secret(),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Hosts).entry("`ec2.REGION.amazonaws.com:443`")],
};

impl Kind for AwsEc2 {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["running", "stopped", "terminated"])?;
        one_of(&want.text("region"), REGIONS, || {
            let region = want.text("region");
            format!(
                "`region` must be an AWS region such as `{}`, not `{region}`",
                suggest::closest(&region, REGIONS.iter().copied()).unwrap_or("eu-central-1")
            )
        })?;
        ensure(!want.text("type").is_empty(), "`type` is required")?;
        ensure(!want.text("imageid").is_empty(), "`imageid` is required")?;
        let together = want.text("watchendpoint").is_empty() == want.text("watchlistenaddr").is_empty();
        ensure(together, "set both `watchendpoint` and `watchlistenaddr`, or neither")
    }

    fn backend(&self) -> &'static str {
        "the EC2 query API. Credentials come from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, otherwise from \
         `~/.aws/credentials` (`AWS_PROFILE`), otherwise from the instance that the agent runs on. `AWS_ENDPOINT_URL` \
         overrides the endpoint. The instance is tagged `Name=mclive-` followed by the resource name. It is checked \
         every minute, or every `Meta:poll` seconds, even with `watchendpoint`: SNS messages are not received."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![time::Watch::Every { ms: PERIOD_MS }.into()]
    }
}

fn walk<'a>(want: &Want, walk: &mut Walk<'a>) -> Result<Decision, Decision> {
    let text = |field: &str| want.text(field).into_owned();
    let machine = Machine { cloud: Cloud::Ec2 { region: text("region") }, name: want.name.to_owned() };
    let mut instance = Rented::look(walk, machine, WAIT)?;
    let order = || Order {
        model: text("type"),
        image: text("imageid"),
        place: String::new(),
        user_data: Secret(text("userdata")),
        start: true,
    };
    match (&*want.text("state"), instance.now.map(|now| now.state)) {
        ("running", None) => {
            let order = order();
            if !instance.has_image(&order.image)? {
                let why = format!("cannot find image `{}` in {}", order.image, text("region"));
                return Err(Decision::CannotTell(why));
            }
            instance.change(vec![Action::Create(order)])?;
        }
        ("running", Some(Stand::Off)) => instance.change(vec![Action::Start])?,
        ("stopped", Some(Stand::On)) => instance.change(vec![Action::Stop])?,
        ("terminated", Some(_)) => instance.change(vec![Action::Delete])?,
        _ => {}
    }
    Ok(instance.over())
}

/// The AWS regions.
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

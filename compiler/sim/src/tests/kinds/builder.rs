//! `virt:builder`.

use super::{NOTHING, Run};
use crate::{Release, World};

const IMAGE: &str = r#"
    virt:builder "/srv/web.img" {
        os_version => "debian-12",
        size => 4096,
        packages => ["nginx"],
        ssh_keys => [struct{ user => "bob", type => "ssh-ed25519", key => "AAAA", comment => "" }],
        root_password_selector => "password:hush-hush",
        run_cmd => ["touch /ready"],
    }"#;

fn tool(world: &mut World) {
    world.write("/usr/bin/virt-builder", "").unwrap();
}

#[test]
fn an_image_is_made_once_and_again_when_it_is_gone() {
    let mut run = Run::after(tool, IMAGE);
    assert_eq!(run.steps(), ["build the image /srv/web.img of debian-12"]);
    let words = "debian-12 --size 4096b --install nginx,qemu-guest-agent --run-command systemctl enable qemu-guest-agent \
                 --run-command apt-mark hold grub-pc --update --run-command apt-mark unhold grub-pc \
                 --ssh-inject bob:string:ssh-ed25519 AAAA --ssh-inject root --selinux-relabel --run-command touch /ready\n";
    assert_eq!(run.read("/srv/web.img"), words);
    assert_eq!(run.change(|world| world.write("/srv/web.img", "mine").unwrap()), NOTHING);
    assert_eq!(run.change(|world| world.remove("/srv/web.img").unwrap()).len(), 1);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_agent_in_an_image_has_a_service_for_its_store() {
    let image = |fields: &str| {
        let seeds = r#"seeds => ["https://a:2379", "https://b:2379"],"#;
        let program = format!(r#"virt:builder "/srv/a.img" {{ os_version => "debian-12", {seeds} {fields} }}"#);
        Run::after(tool, &program).read("/srv/a.img")
    };
    let words = image("mkdir => [\"/opt/\"],");
    let (service, rest) = words.split_once("--mkdir").unwrap();
    assert!(service.contains("\nEnvironment=\"MCLIVE_WORLD=https://a:2379,https://b:2379\"\n"), "{words}");
    assert!(service.contains("systemctl enable mclive") && rest == " /opt/\n", "{words}");
    assert!(!image("bootstrap => false,").contains("MCLIVE_WORLD"));
}

#[test]
fn the_tool_is_installed_unless_that_is_not_wanted() {
    let offers = |world: &mut World| {
        let tools = Release::new("guestfs-tools", "1.48.2", &[("/usr/bin/virt-builder", "")]);
        world.subjects.package.repository.push(tools.clone());
        world.subjects.package.lists.push(tools);
    };
    let mut run = Run::after(offers, IMAGE);
    assert_eq!(run.steps(), ["install guestfs-tools 1.48.2", "build the image /srv/web.img of debian-12"]);
    let run = Run::new(IMAGE);
    assert!(run.failures()[0].contains("apt has no package `guestfs-tools`"), "{:?}", run.failures());
    let run = Run::new(r#"virt:builder "/srv/a.img" { os_version => "debian-12", no_setup => true, }"#);
    assert!(run.failures()[0].contains("install the package `guestfs-tools`"), "{:?}", run.failures());
    let run = Run::after(tool, r#"virt:builder "/srv/a.img" { os_version => "unknown-1", }"#);
    assert!(run.failures()[0].contains("cannot find os-version 'unknown-1'"), "{:?}", run.failures());
}

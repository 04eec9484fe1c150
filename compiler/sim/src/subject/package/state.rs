//! [`Packages`]: the package system of a simulated host: a repository, the package lists fetched from it, and the
//! installed packages with their files.

use crate::gather::Boxed;
use crate::sort;
use crate::subject::SubjectState;
use crate::tree::Tree;
use crate::vocab::package::names::{Provider, virtual_package};
use crate::vocab::package::version::compare;
use crate::vocab::package::{self, Installed, Offer, Package, PackageChange, Preview, Transaction};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// One version of a package in a repository.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Release {
    /// The package.
    pub name: String,
    /// The version.
    pub version: String,
    /// Paths and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Names of packages it depends on.
    pub needs: Vec<String>,
    /// Names that it provides besides its own.
    pub provides: Vec<String>,
    /// Names of packages it conflicts with.
    pub conflicts: Vec<String>,
    /// Whether it is non-free.
    pub is_nonfree: bool,
    /// Whether it is not from the distribution.
    pub is_foreign: bool,
    /// Whether its signature is missing.
    pub is_untrusted: bool,
}

impl Release {
    /// A version with these files.
    pub fn new(name: &str, version: &str, files: &[(&str, &str)]) -> Release {
        let files = files.iter().map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())).collect();
        Release { name: name.into(), version: version.into(), files, ..Release::default() }
    }
}

/// The package system; everything can be changed by hand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Packages {
    /// The repository.
    pub repository: Vec<Release>,
    /// The fetched lists.
    pub lists: Vec<Release>,
    /// When the lists were fetched, in nanoseconds since 1970.
    pub fetched_ns: Option<i64>,
    /// Installed packages by name.
    pub installed: Boxed<String, Release>,
    /// The states of installed packages that do not work.
    pub broken: BTreeMap<String, String>,
    /// Names of held packages.
    pub held: BTreeSet<String>,
    /// The error of an unreachable repository.
    pub unreachable: Option<String>,
    /// Whether there is no package system at all.
    pub is_absent: bool,
}

impl SubjectState for Packages {
    fn of_new_host(_: &str) -> Packages {
        Packages::usual()
    }

    fn n_entries(&self) -> usize {
        self.installed.len()
    }
}

impl Packages {
    /// The package system of a small host.
    fn usual() -> Packages {
        let unit = "[Service]\nExecStart=/usr/sbin/nginx -g 'daemon off;'\nExecReload=/usr/sbin/nginx -s reload\n\n\
                    [Install]\nWantedBy=multi-user.target\n";
        let nginx = [
            ("/etc/nginx/nginx.conf", "events {}\n"),
            ("/usr/lib/systemd/system/nginx.service", unit),
            ("/usr/sbin/nginx", "#!/bin/sh\n"),
        ];
        let mut repository = vec![
            Release::new("curl", "8.14.1-2", &[("/usr/bin/curl", "#!/bin/sh\n")]),
            Release::new("libpcre2", "10.45-1", &[("/usr/lib/libpcre2.so", "")]),
            Release::new("nginx", "1.26.3-3", &nginx),
        ];
        repository[2].needs = vec!["libpcre2".into()];
        let fetched_ns = Some(crate::world::EPOCH_NS);
        Packages { lists: repository.clone(), repository, fetched_ns, ..Packages::default() }
    }

    pub(super) fn is_there(&self) -> Result<(), HostError> {
        if !self.is_absent {
            return Ok(());
        }
        Err(HostError::new(HostErrorKind::Unavailable, package::NO_SYSTEM))
    }

    pub(super) fn package(&self, name: &str, with_offers: bool) -> Package {
        let installed = self.installed.get(name).map(|release| Installed {
            version: release.version.clone(),
            broken: self.broken.get(name).cloned().unwrap_or_default(),
            is_held: self.held.contains(name),
        });
        let mut offers: Vec<&Release> =
            self.lists.iter().filter(|release| with_offers && release.name == name).collect();
        sort::by(&mut offers, |one, other| compare(&other.version, &one.version));
        let known = installed.as_ref().filter(|_| with_offers).map(|installed| installed.version.clone());
        Package {
            name: name.to_owned(),
            candidate: offers.first().map(|release| release.version.clone()).or(known),
            offers: offers.into_iter().map(offer).collect(),
            installed,
        }
    }

    /// Errors: the name is one that packages only provide.
    pub(super) fn check_not_virtual(&self, package: &Package) -> Result<(), HostError> {
        if package.installed.is_some() || package.candidate.is_some() {
            return Ok(());
        }
        let provides = |release: &&Release| release.provides.contains(&package.name);
        let provider = |release: &Release| Provider {
            name: release.name.clone(),
            is_installed: self.installed.contains_key(&release.name),
        };
        let providers: Vec<Provider> = self.lists.iter().filter(provides).map(provider).collect();
        if providers.is_empty() { Ok(()) } else { Err(virtual_package(&package.name, &providers)) }
    }

    pub(super) fn fetch(&mut self, now_ns: i64) -> Result<(), String> {
        if let Some(why) = &self.unreachable {
            return Err(why.clone());
        }
        self.lists = self.repository.clone();
        self.fetched_ns = Some(now_ns);
        Ok(())
    }

    /// The side effects of a transaction.
    pub(super) fn preview(&self, transaction: &Transaction) -> Result<Preview, HostError> {
        let mut after = self.clone();
        transaction.changes.iter().try_for_each(|change| after.change(change))?;
        let named = |name: &&String| !transaction.changes.iter().any(|change| change.name == **name);
        let installs = after.installed.iter().filter(|(name, _)| named(name) && !self.installed.contains_key(*name));
        let removes = self.installed.keys().filter(|name| named(name) && !after.installed.contains_key(*name));
        Ok(Preview {
            installs: installs.map(|(name, release)| (name.clone(), release.version.clone())).collect(),
            removes: removes.cloned().collect(),
        })
    }

    /// Installs and removes packages with their files.
    pub(super) fn commit(&mut self, transaction: &Transaction, tree: &mut Tree) -> Result<(), HostError> {
        let mut after = self.clone();
        transaction.changes.iter().try_for_each(|change| after.change(change))?;
        let news = after.installed.iter().filter(|(name, release)| self.installed.get(*name) != Some(release));
        if let Some((name, _)) = news.clone().find(|(_, release)| release.is_untrusted && !transaction.allow_untrusted)
        {
            let why = "There were unauthenticated packages and -y was used without --allow-unauthenticated";
            return Err(other(format!("apt-get: {why}: {name}")));
        }
        let gone = self.installed.iter().filter(|(name, release)| after.installed.get(*name) != Some(release));
        for (path, _) in gone.flat_map(|(_, release)| &release.files) {
            tree.remove(path, false)?;
        }
        for (path, content) in news.flat_map(|(_, release)| &release.files) {
            let above = crate::path::parent(path).unwrap_or("/");
            tree.make_dir(above, true, None)?;
            tree.write(path, content.clone(), None)?;
        }
        *self = after;
        Ok(())
    }

    fn change(&mut self, change: &PackageChange) -> Result<(), HostError> {
        match &change.to {
            Some(version) => self.install(&change.name, Some(version)),
            None => {
                self.remove(&change.name);
                Ok(())
            }
        }
    }

    fn install(&mut self, name: &str, version: Option<&String>) -> Result<(), HostError> {
        let fits =
            |release: &&Release| release.name == name && version.is_none_or(|version| release.version == *version);
        let highest = |one: &&Release, other: &&Release| compare(&one.version, &other.version);
        let is_there = self.installed.get(name).map(|release| &**release).filter(fits).cloned();
        let release = self.lists.iter().filter(fits).max_by(highest).cloned().or(is_there);
        let release = release.ok_or_else(|| other(format!("apt-get: Unable to locate package {name}")))?;
        for conflict in &release.conflicts {
            self.remove(conflict);
        }
        self.broken.remove(name);
        self.installed.insert(name.to_owned(), Box::new(release.clone()));
        for needed in
            release.needs.iter().filter(|needed| !self.installed.contains_key(*needed)).cloned().collect::<Vec<_>>()
        {
            self.install(&needed, None)?;
        }
        Ok(())
    }

    /// Removes a package with everything that depends on it.
    pub fn remove(&mut self, name: &str) {
        self.installed.remove(name);
        self.broken.remove(name);
        let needs_it = |release: &Release| release.needs.iter().any(|needed| needed == name);
        let dependants: Vec<String> =
            self.installed.iter().filter(|(_, release)| needs_it(release)).map(|(name, _)| name.clone()).collect();
        dependants.iter().for_each(|name| self.remove(name));
    }
}

fn offer(release: &Release) -> Offer {
    Offer { version: release.version.clone(), is_free: !release.is_nonfree, is_supported: !release.is_foreign }
}

fn other(message: String) -> HostError {
    HostError::new(HostErrorKind::Other, message)
}

//! Stores as directories: their order, their faults, and what the dead leave in them.

use super::*;
use crate::host::Scratch;
use crate::share::{Fault, Store};

fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn programs_lie_under_their_names_with_or_without_nameless_files() {
    for has_nameless in [true, false] {
        let dir = Scratch::new(&format!("store-{has_nameless}"));
        let store = Store::new(Folder::open_with(&dir, has_nameless).unwrap());
        let id = now(store.put("one".into())).unwrap().id;
        let path = dir.join("programs").join(id.shelf()).join(id.as_str());
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert!(!now(store.put("one".into())).unwrap().is_new);
        assert_eq!(names(&dir.join("incoming")), [""; 0]);
        // Another server on the same folder.
        let other = Store::new(Folder::open(&dir).unwrap());
        assert_eq!(now(other.get(&id)).unwrap().unwrap(), "one");
        let folder = Folder::open_with(&dir, has_nameless).unwrap();
        assert_eq!(now(folder.create(&id, "two".into())), Ok(Created::NameTaken));
        assert_eq!((std::fs::read(&path).unwrap(), names(&dir.join("incoming")).len()), (b"one".into(), 0));
    }
}

#[test]
fn what_is_torn_foreign_or_no_file_is_reported_and_not_handed_out() {
    let dir = Scratch::new("store-damaged");
    let store = Store::new(Folder::open(&dir).unwrap());
    let id = now(store.put("one".into())).unwrap().id;
    let path = dir.join("programs").join(id.shelf()).join(id.as_str());
    std::fs::write(&path, "on").unwrap();
    assert_eq!(now(store.get(&id)), Err(Fault::Damaged(path.display().to_string())));
    std::fs::remove_file(&path).unwrap();
    std::fs::write(dir.join("secret"), "one").unwrap();
    std::os::unix::fs::symlink(dir.join("secret"), &path).unwrap();
    let damaged = || Err(Fault::Damaged(path.display().to_string()));
    assert_eq!(now(store.get(&id)), damaged(), "a link is not followed");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(now(store.get(&id)), damaged());
    // A folder may hold something of the operator's: it stays.
    assert!(matches!(now(store.put("one".into())), Err(Fault::Unavailable(why)) if why.contains(id.as_str())));
}

#[test]
fn a_store_that_is_gone_is_not_ready_and_has_not_forgotten_its_programs() {
    let dir = Scratch::new("store-gone");
    let store = Store::new(Folder::open(&dir).unwrap());
    let id = now(store.put("one".into())).unwrap().id;
    assert_eq!((now(store.is_ready()), now(store.get(&Id::parse("abcdefghij").unwrap()))), (Ok(()), Ok(None)));
    std::fs::remove_dir_all(dir.join("programs")).unwrap();
    assert!(now(store.is_ready()).unwrap_err().contains("no such file"));
    let shown = dir.join("programs").join(id.shelf()).join(id.as_str()).display().to_string();
    assert!(matches!(now(store.get(&id)), Err(Fault::Unavailable(why)) if why.contains(&shown)));
}

#[test]
fn nobody_waits_for_ever_for_a_disk_that_hangs() {
    let dir = Scratch::new("store-hangs");
    let mut folder = Folder::open(&dir).unwrap();
    Arc::get_mut(&mut folder.0).unwrap().patience = Duration::from_millis(500);
    let store = Store::new(folder);
    let id = Id::parse("abcdefghij").unwrap();
    // The threads for disks all wait for another one.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().max_blocking_threads(1).build().unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    runtime.block_on(async {
        let hanging = tokio::task::spawn_blocking(move || held.recv());
        assert!(matches!(store.get(&id).await, Err(Fault::Unavailable(why)) if why.contains("no answer within")));
        assert!(store.is_ready().await.is_err());
        drop(release);
        assert!(hanging.await.unwrap().is_err());
        // As soon as the disk answers again, which may take a while beside others.
        let began = std::time::Instant::now();
        while store.is_ready().await.is_err() || store.get(&id).await != Ok(None) {
            assert!(began.elapsed() < Duration::from_secs(120), "it stays away");
        }
    });
}

#[test]
fn what_waits_behind_a_disk_that_hangs_is_given_up() {
    let dir = Scratch::new("store-queue");
    let mut folder = Folder::open(&dir).unwrap();
    let opened = Arc::get_mut(&mut folder.0).unwrap();
    (opened.patience, opened.turns) = (Duration::from_millis(200), Arc::new(Semaphore::new(1)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let content = Arc::new(());
    runtime.block_on(async {
        let hangs = folder.answer("read", "one".into(), move |_| Ok(held.recv().is_ok()));
        assert!(hangs.await.unwrap_err().contains("no answer within"));
        let kept = content.clone();
        let waits = folder.answer("write", "two".into(), move |_| {
            drop(kept);
            Ok(())
        });
        assert!(waits.await.unwrap_err().contains("no answer within"));
        assert_eq!(Arc::strong_count(&content), 1, "nobody keeps what was to be written");
        drop(release);
        let began = std::time::Instant::now();
        while folder.answer("read", "three".into(), |_| Ok(())).await.is_err() {
            assert!(began.elapsed() < Duration::from_secs(120), "it stays away");
        }
    });
}

#[test]
fn a_damaged_program_is_replaced_when_it_is_shared_again() {
    for has_nameless in [true, false] {
        let dir = Scratch::new(&format!("store-mended-{has_nameless}"));
        let store = Store::new(Folder::open_with(&dir, has_nameless).unwrap());
        let id = now(store.put("one".into())).unwrap().id;
        let path = dir.join("programs").join(id.shelf()).join(id.as_str());
        for damage in ["", "on", "two"] {
            std::fs::write(&path, damage).unwrap();
            let put = now(store.put("one".into())).unwrap();
            assert_eq!((put.is_new, put.mended), (false, Some(path.display().to_string())), "{damage}");
            assert_eq!(now(store.get(&id)).unwrap().unwrap(), "one");
            assert_eq!(names(&dir.join("incoming")), [""; 0]);
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::write(dir.join("elsewhere"), "two").unwrap();
        std::os::unix::fs::symlink(dir.join("elsewhere"), &path).unwrap();
        assert_eq!(now(store.put("one".into())).unwrap().mended, Some(path.display().to_string()), "a link");
        assert_eq!(
            (std::fs::read(&path).unwrap(), std::fs::read(dir.join("elsewhere")).unwrap()),
            (b"one".into(), b"two".into())
        );
        assert_eq!(now(store.put("one".into())).unwrap().mended, None);
    }
}

#[test]
fn a_start_removes_what_the_dead_left_and_nothing_of_the_living() {
    let dir = Scratch::new("store-litter");
    let living = Folder::open_with(&dir, false).unwrap();
    let (name, held) = living.0.incoming().unwrap();
    std::fs::write(dir.join("incoming/1-0"), "half").unwrap();
    // What no writer left does not prevent a start, and stays.
    std::fs::create_dir(dir.join("incoming/folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.join("incoming/link")).unwrap();
    let foreign = |mut names: Vec<String>| {
        names.sort();
        assert_eq!(names.split_off(names.len() - 2), ["folder", "link"]);
        names
    };
    let _other = Folder::open(&dir).unwrap();
    assert_eq!(foreign(names(&dir.join("incoming"))), [name]);
    drop(held);
    let _other = Folder::open(&dir).unwrap();
    assert_eq!(foreign(names(&dir.join("incoming"))), [""; 0]);
}

#[test]
fn an_unreadable_list_of_what_was_taken_down_hands_out_nothing() {
    let dir = Scratch::new("store-taken");
    let store = Store::new(Folder::open(&dir).unwrap());
    std::fs::create_dir(dir.join("taken-down")).unwrap();
    assert!(matches!(now(store.put("one".into())), Err(Fault::Unavailable(why)) if why.contains("taken-down")));
    assert!(now(store.is_ready()).is_err());
    std::fs::remove_dir(dir.join("taken-down")).unwrap();
    let id = now(store.put("one".into())).unwrap().id;
    std::fs::write(dir.join("taken-down"), format!("{id} spam")).unwrap();
    let other = Store::new(Folder::open(&dir).unwrap());
    assert_eq!(now(other.get(&id)), Err(Fault::TakenDown("spam".into())));
}

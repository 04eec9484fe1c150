//! Changing: everything but commands, which take time.

use super::host::States;
use super::world::World;
use crate::protocol::ResourceId;
use crate::vocab::{Content, HostError, Outcome, Step};

/// Carries out one step. A command is run elsewhere.
pub(super) fn carry_out(world: &mut World, states: &mut States, id: &ResourceId, step: &Step) -> Outcome {
    let done: Result<(), HostError> = match step {
        Step::WriteFile { path, content, mode } => match content {
            Content::Bytes(bytes) => world.tree.write(path, bytes.clone(), *mode),
            Content::CopyOf(source) => {
                world.tree.read(source).map(<[u8]>::to_vec).and_then(|bytes| world.tree.write(path, bytes, *mode))
            }
        },
        Step::CreateFile { path, mode } => match world.tree.read(path) {
            Ok(_) => Ok(()),
            Err(_) => world.tree.write(path, Vec::new(), *mode),
        },
        Step::MakeDir { path, parents, mode } => world.tree.make_dir(path, *parents, *mode),
        Step::Remove { path, recursive } => world.tree.remove(path, *recursive),
        Step::Symlink { path, target } => world.tree.symlink(path, target),
        Step::SetMode { path, mode } => world.tree.change(path, true, |node| node.mode = mode & 0o7777),
        Step::SetOwner { path, uid, gid } => world.tree.change(path, true, |node| {
            node.uid = uid.unwrap_or(node.uid);
            node.gid = gid.unwrap_or(node.gid);
        }),
        Step::SetLabel { path, label } => world.tree.change(path, false, |node| node.label.clone_from(label)),
        Step::WriteState { name, content } => {
            states.insert((id.clone(), name.clone()), (content.clone(), world.tree.now_ns));
            Ok(())
        }
        Step::RemoveState { name } => {
            states.remove(&(id.clone(), name.clone()));
            Ok(())
        }
        Step::SetKey { store, key, value } => {
            world.set_key(*store, key, value.clone());
            Ok(())
        }
        // Told to people by the host itself; see the log.
        Step::Print { .. } => Ok(()),
        Step::Run(command) => {
            let message = format!("{:?} was not run", command.argv);
            Err(HostError::new(crate::vocab::HostErrorKind::Other, message))
        }
    };
    match done {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error),
    }
}

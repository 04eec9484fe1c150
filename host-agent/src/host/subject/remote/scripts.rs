//! Scripts for the `sh` of the other host. Their arguments are the last part of the directory, `1` if it is kept, and
//! those of each script.

/// The exit status of a script if the agent there has ended: its status and the end of its log are on standard error.
pub(super) const ENDED: i32 = 3;

/// The exit status of a script if another agent is connected to the agent there: its host's name is on standard output.
/// Agents are distinguished by the first word of their identification; the name follows.
pub(super) const RIVAL: i32 = 4;

/// What a script prints on a line once the agent there runs and has a tunnel.
pub(super) const JOINED: &[u8] = b"joined";

/// The start of each script: the directory, which only its owner can reach, and whether the agent in it runs.
macro_rules! script {
    ($($text:tt)*) => {
        concat!(
            r#"umask 077
LC_ALL=C; export LC_ALL
if [ "$2" ]; then dir=/var/lib way="mclive remote $1"; else dir=$HOME way=".mclive remote $1"; fi
fails() { echo "$*" >&2; exit 1; }
safe() {
    if [ -h "$dir" ] || [ ! -d "$dir" ]; then fails "$dir is not a directory"; fi
    case $(ls -ld "$dir") in ?????w*|????????w*) fails "other users can write to $dir";; esac
}
safe
for part in $way; do
    dir=$dir/$part
    if [ "$makes" ]; then mkdir "$dir" 2>/dev/null; fi
    if [ -h "$dir" ] || [ -e "$dir" ]; then safe; fi
done
since() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }
alive() {
    pid= start=
    if [ -r "$dir/pid" ]; then read -r pid start <"$dir/pid"; fi
    [ "$pid" ] && [ "$(since "$pid")" = "$start" ] || return 1
    case $(readlink "/proc/$pid/exe") in "$dir/mclive"|"$dir/mclive (deleted)") ;; *) return 1;; esac
}
ended() {
    i=0
    while [ ! -s "$dir/exit" ] && [ $i -lt 5 ]; do sleep 1; i=$((i + 1)); done
    status=$(cat "$dir/exit" 2>/dev/null || echo -1)
}
tells() { echo "$status $(tail -c 1000 "$dir/mclive.log" | tr '\n' ' ')" >&2; exit 3; }
leaves() { if [ ! "$kept" ]; then rm -rf "$dir"; fi; }
near() {
    # With `GatewayPorts yes` the server listens for all networks, whatever it was asked for; with `AddressFamily inet6`
    # only for those of IPv6. A kernel without IPv6 has no second list.
    port=$(printf %04X "${1##*:}") any=00000000
    long=$any$any$any$any
    case $(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null) in
        *" $any:$port $any:0000 0A "*|*" $long:$port $long:0000 0A "*) fails "the SSH server opens the tunnel to all networks: its \`GatewayPorts\` must not be \`yes\`";;
    esac
}
held() {
    waits= session= start= who=
    if [ -r "$dir/waits" ]; then read -r waits session start who <"$dir/waits"; fi
    case $(cat "/proc/$session/comm" 2>/dev/null) in sshd*) ;; *) return 1;; esac
    [ "$(since "$session")" = "$start" ]
}
rival() { if held && [ "$who" ] && [ "${who%% *}" != "${1%% *}" ]; then echo "${who#* }"; exit 4; fi; }
kept=$2
"#,
            $($text)*
        )
    };
}

/// Starts the agent. The program is on standard input. The arguments: digest, host name, time of rest, entry, `1` if it must
/// stay, and for a shared store its URL and the name of the group.
macro_rules! start {
    () => {
        r#"if [ "$8" ]; then near "$8"; fi
rm -rf "$dir/program" "$dir/exit" "$dir/pid" "$dir/digest"
mkdir "$dir/program" && tar -x -f - -C "$dir/program" 2>"$dir/mclive.log" || fails "the program: $(tail -c 1000 "$dir/mclive.log")"
name=${4:-$(hostname 2>/dev/null || uname -n)}
printf %s "$3" >"$dir/digest"
entry=$dir/program$6 stays=$7 world=$8 group=$9 settings=/etc/mclive/remote.toml
if [ "$5" ]; then set -- --converger-timeout "$5" --converged-exit; else set --; fi
if [ "$world" ]; then
    set -- "$@" --world "$world" --world-name "$group"
    if [ -e "$settings" ]; then set -- "$@" --config "$settings"; fi
fi
setsid sh -c 'dir=$1; shift
"$dir/mclive" "$@" >"$dir/mclive.log" 2>&1 </dev/null &
pid=$!
echo "$pid $(sed "s/.*) //" "/proc/$pid/stat" | cut -d" " -f20)" >"$dir/pid.new" && mv -f "$dir/pid.new" "$dir/pid"
wait $pid
echo $? >"$dir/exit.new" && mv -f "$dir/exit.new" "$dir/exit"' mclive "$dir" run --hostname "$name" --prefix "$dir/prefix" "$@" "$entry" >/dev/null 2>&1 </dev/null &
i=0
while [ ! -e "$dir/pid" ] && [ $i -lt 100 ]; do sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done
"#
    };
}

/// Waits for the end of the agent in a connection with a tunnel. The latest such connection waits alone; the process of its
/// server is written down, so that `CLEAR` can end it, with the agent that is connected, `$us`.
macro_rules! stay {
    () => {
        r#"echo joined
echo "$$ $PPID $(since "$PPID") $us" >"$dir/waits.new" && mv -f "$dir/waits.new" "$dir/waits"
latest() { read -r waits rest 2>/dev/null <"$dir/waits" && [ "$waits" = $$ ]; }
while alive && latest; do sleep 1; done
latest || fails "another connection waits for the agent"
ended
[ "$status" = 0 ] || tells
leaves
"#
    };
}

pub(super) const LOOK: &str = script!(
    r#"echo "machine=$(uname -m)"
if alive; then echo "pid=$pid"; fi
if [ -f "$dir/mclive" ]; then echo "binary=$(sha256sum <"$dir/mclive" | cut -d' ' -f1)"; fi
if [ -f "$dir/digest" ]; then echo "digest=$(cat "$dir/digest")"; fi
"#
);

/// The binary is on standard input; `1` if its dependencies are to be installed.
pub(super) const COPY: &str = concat!(
    "makes=1\n",
    script!(
        r#"rm -f "$dir/mclive.new"
cat >"$dir/mclive.new" && chmod 700 "$dir/mclive.new" || fails "cannot write the agent to $dir"
starts() { why=$("$dir/mclive.new" --version 2>&1 >/dev/null); }
if ! starts && [ "$3" ]; then
    if command -v apt-get >/dev/null; then apt-get -qq --yes install libc6 libgcc-s1 >/dev/null
    elif command -v dnf >/dev/null; then dnf -q -y install glibc libgcc >/dev/null
    elif command -v yum >/dev/null; then yum -q -y install glibc libgcc >/dev/null; fi
fi
starts || fails "the agent does not start on this host: $why"
mv -f "$dir/mclive.new" "$dir/mclive"
"#
    )
);

/// The input and the arguments are those of `start!`.
pub(super) const START: &str = concat!(
    "makes=1\n",
    script!(
        start!(),
        r#"if [ "$stays" ]; then
    for i in 1 2 3; do
        sleep 1
        alive || { ended; tells; }
    done
fi
"#
    )
);

/// The same through a tunnel, which is open when this begins. Prints [`JOINED`] when the agent was started, then waits for its
/// end. One more argument: this agent.
pub(super) const JOIN: &str = concat!("makes=1\n", script!("us=${10}\n", start!(), stay!()));

/// The same for an agent that runs. The arguments: the URL of the store there, and this agent.
pub(super) const STAY: &str = script!(
    r#"us=$4
near "$3"
rival "$us"
"#,
    stay!()
);

/// Ends the connection whose tunnel was open last, unless it is that of another agent: the two would take the tunnel
/// from each other forever. After an interruption, its server keeps the address of the tunnel until it notices. The
/// argument: this agent.
pub(super) const CLEAR: &str = script!(
    r#"rival "$3"
if held; then kill "$session"; sleep 1; fi
"#
);

pub(super) const AWAIT: &str = script!(
    r#"while alive; do sleep 1; done
ended
[ "$status" = 0 ] || tells
leaves
"#
);

pub(super) const STOP: &str = script!(
    r#"if alive; then
    kill -INT "$pid"
    i=0
    while alive && [ $i -lt 30 ]; do sleep 1; i=$((i + 1)); done
    if alive; then kill -KILL "$pid"; fi
fi
leaves
"#
);

/// Prints a line when it is in place, and one for each change. Writing to a closed connection ends the script.
pub(super) const WATCH: &str = script!(
    r#"now() { if alive; then echo "$pid"; fi; }
last=$(now)
echo ready
i=0
while sleep 1; do
    new=$(now)
    if [ "$new" != "$last" ]; then last=$new; echo changed; fi
    i=$((i + 1))
    if [ $i = 30 ]; then i=0; echo; fi
done
"#
);

#[cfg(test)]
mod tests;

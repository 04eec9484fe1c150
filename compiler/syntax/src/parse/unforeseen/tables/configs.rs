//! Lines of configuration files: Dockerfile, systemd, nginx, HAProxy, Apache, cron, make, Compose.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const DOCKERFILE: &str = "this looks like a Dockerfile";
const CONTAINER: &str = "declare a container with `docker:container \"name\" { image => \"…\", }`";
const COPY: &str = "copy a file with `file \"/path\" { state => \"exists\", source => \"/from\", }`";
const CMD: &str =
    "set the command of a container in a field: `docker:container \"name\" { image => \"…\", cmd => [\"…\"], }`";
const ENV: &str = "set the environment of a container in a field: `docker:container \"name\" { image => \"…\", env => [\"NAME=value\"], }`";
const PORTS: &str = "set the ports of a container in a field: \
     `docker:container \"name\" { image => \"…\", ports => {\"tcp\" => {8080 => 80}}, }`";
const RUN: &str = "run a command with `exec \"name\" { cmd => \"/bin/command\", args => [\"…\"], }`, and install a package \
     with `pkg \"name\" { state => \"installed\", }`";
const UNIT: &str = "write the unit file as the content of a file: \
     `file \"/etc/systemd/system/name.service\" { state => \"exists\", content => \"…\", }`";
const START: &str = "start the service with `svc \"name\" { state => \"running\", startup => \"enabled\", }`";
const NGINX: &str = "write the configuration as the content of a file: \
     `file \"/etc/nginx/conf.d/site.conf\" { state => \"exists\", content => \"…\", }`";
const APACHE: &str = "write the configuration as the content of a file: \
     `file \"/etc/apache2/sites-enabled/site.conf\" { state => \"exists\", content => \"…\", }`";
const HAPROXY: &str = "write the configuration as the content of a file: \
     `file \"/etc/haproxy/haproxy.cfg\" { state => \"exists\", content => \"…\", }`";
const CRON: &str = "declare a timer with `cron \"name\" { trigger => \"OnCalendar\", time => \"*-*-* 03:00:00\", }`: it starts the \
     unit `name.service`";

const fn docker(pattern: &'static str, help: &'static str, cover: Cover) -> Mistake {
    Mistake::new(pattern, DOCKERFILE, NOT, help).covers(cover)
}

const fn unit(pattern: &'static str) -> Mistake {
    Mistake::new(pattern, "this looks like a systemd unit", NOT, UNIT).more(START)
}

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «CAP :=» …",
        "variables begin with `$` and have no capital letters",
        "expected a variable",
        "write `{1:var} = \"…\"`",
    ),
    docker("@item LINE «COPY/ADD …» EOL", COPY, Cover::Line),
    docker("@item LINE «RUN …» EOL", RUN, Cover::Line),
    docker("@item LINE «EXPOSE NUM …?» EOL", PORTS, Cover::Line),
    docker("@item LINE «ENV/ARG …» EOL", ENV, Cover::Line),
    docker("@item LINE «CMD/ENTRYPOINT/HEALTHCHECK …» EOL", CMD, Cover::Line),
    docker("LINE «COPY/ADD» WORD/STR/[/. …?", COPY, Cover::File),
    docker("LINE «RUN» WORD/STR/[/. …?", RUN, Cover::File),
    docker("LINE «COPY/ADD» / …?", COPY, Cover::File),
    docker("LINE «RUN» / …?", RUN, Cover::File),
    docker("LINE «VOLUME/WORKDIR» / …?", CONTAINER, Cover::File),
    docker("LINE «EXPOSE» NUM …?", PORTS, Cover::File),
    docker("LINE «ENV/ARG» WORD …?", ENV, Cover::File),
    docker("LINE «CMD/ENTRYPOINT/HEALTHCHECK» WORD/STR/[ …?", CMD, Cover::File),
    docker("LINE «FROM» WORD/STR …?", CONTAINER, Cover::File),
    docker(
        "LINE «WORKDIR/LABEL/USER/VOLUME/STOPSIGNAL/SHELL/ONBUILD/MAINTAINER» WORD/STR/NUM/[/. …?",
        CONTAINER,
        Cover::File,
    ),
    Mistake::new(
        "LINE «[ Unit/Service/Install/Timer/Socket/Path/Mount/Automount/Slice ]» EOL",
        "this looks like a systemd unit",
        NOT,
        UNIT,
    )
    .more(START)
    .covers(Cover::File),
    unit("LINE «ExecStart/ExecStartPre/ExecStartPost/ExecStop/ExecReload/WorkingDirectory/EnvironmentFile =» …"),
    unit("LINE «WantedBy/RequiredBy/OnCalendar/OnBootSec/OnUnitActiveSec/RestartSec/Description ~ = ~ WORD/NUM/*» …"),
    unit("LINE «Type/User/Group/Restart/After/Requires/Wants/Environment ~ = ~ WORD» …? EOL"),
    Mistake::new(
        "@item ^ «WantedBy/RequiredBy» =>",
        "a resource has no field `{1}`",
        "this looks like a systemd unit",
        "start a service at boot with `startup => \"enabled\",`",
    ),
    Mistake::new(
        "@item ^ «ExecStart/ExecStop/ExecReload/WorkingDirectory/Restart/After/Requires» =>",
        "a resource has no field `{1}`",
        "this looks like a systemd unit",
        UNIT,
    ),
    Mistake::new(
        "LINE «upstream/geo/map/events/http/stream WORD? {» EOL",
        "this looks like an nginx configuration",
        NOT,
        NGINX,
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «gzip/sendfile/tcp_nopush/server_tokens/ssl/autoindex» on/off ; EOL",
        "this looks like an nginx configuration",
        NOT,
        NGINX,
    ),
    Mistake::new("LINE «return/rewrite NUM» … ; EOL", "this looks like an nginx configuration", NOT, NGINX),
    Mistake::new(
        "@stmt LINE «root/index/user/keepalive_timeout/worker_connections/proxy_set_header/add_header/error_page/\
         ssl_certificate/ssl_certificate_key/client_max_body_size» … ; EOL",
        "this looks like an nginx configuration",
        NOT,
        NGINX,
    ),
    Mistake::new(
        "LINE «< VirtualHost/Directory/Location/Files/FilesMatch/IfModule/Proxy» …? >",
        "this looks like an Apache configuration",
        NOT,
        APACHE,
    )
    .covers(Cover::Until("</")),
    Mistake::new("LINE «frontend/backend WORD» EOL", "this looks like an HAProxy configuration", NOT, HAPROXY)
        .covers(Cover::Indented),
    Mistake::new("LINE «NUM/* NUM/* NUM/* NUM/* NUM/*» …", "this looks like a crontab", NOT, CRON),
    Mistake::new("LINE «* ~ / ~ NUM NUM/* NUM/* NUM/* NUM/*» …", "this looks like a crontab", NOT, CRON),
    Mistake::new("LINE «@ ~ reboot/hourly/daily/weekly/monthly/yearly» / …", "this looks like a crontab", NOT, CRON),
    Mistake::new(
        "LINE «CAP/NAME ? ~ =» …",
        "MCL has no `?=`",
        "not an MCL operator",
        "write `{1:var} = …`: a variable has one value",
    ),
    Mistake::new(
        "LINE «services/networks/volumes :» EOL",
        "this looks like a Compose file",
        NOT,
        "declare a container with `docker:container \"name\" { image => \"…\", ports => {\"tcp\" => {8080 => 80}}, }`",
    )
    .covers(Cover::Indented),
];

""" Functions that are not run: their results are declared. """
from typing import Optional

import inmanta.plugins
from inmanta.plugins import Context, plugin
from inmanta.resources import PurgeableResource, resource


@resource("store::Source", agent="host.name", id_attribute="name")
@resource("store::SignedSource", agent="host.name", id_attribute="name")
class Source(PurgeableResource):
    fields = ("name", "url")


@plugin
def is_checked(text: "string") -> "bool":
    return text != ""


@inmanta.plugins.plugin("label")
def labelled(source: "store::Source") -> "string":
    return source.name


@plugin()
def free_port(ctx: Context, host: str, base: int = 8000, *, kind: Optional[str] = None) -> int:
    return base

//! Functions and variables of other tools, and their MCL counterparts.

/// An MCL counterpart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ours {
    /// A function of a core module; an empty module for those that need no import.
    Function(&'static str, &'static str),
    /// What to write instead, as a help text.
    Help(&'static str),
}

/// The counterpart of another tool's function, by the last part of its name.
pub(super) fn function(name: &str) -> Option<Ours> {
    if let Some((owner, _)) = name.split_once('.')
        && is_source_of_facts(owner)
    {
        return variable(owner).map(Ours::Help);
    }
    if let Some(help) = of_library(name) {
        return Some(Ours::Help(help));
    }
    let word = name.rsplit('.').next()?.replace('_', "").to_ascii_lowercase();
    let (module, function) = match word.as_str() {
        "upper" | "uppercase" | "upcase" | "toupper" | "touppercase" => ("strings", "to_upper"),
        "lower" | "lowercase" | "downcase" | "tolower" | "tolowercase" => ("strings", "to_lower"),
        "trim" | "strip" | "chomp" | "trimspace" => ("strings", "trim_space"),
        "startswith" | "hasprefix" => ("strings", "has_prefix"),
        "endswith" | "hassuffix" => ("strings", "has_suffix"),
        "replace" | "gsub" | "regsubst" | "replaceall" => ("strings", "replace_all"),
        "substring" | "slice" => ("strings", "substr"),
        "join" => ("golang/strings", "join"),
        "len" | "size" | "length" | "count" | "strlen" => ("", "len"),
        "int" | "integer" | "parseint" | "toint" | "strtoint" => ("convert", "str_to_int"),
        "float" | "tofloat" | "parsefloat" => ("convert", "str_to_float"),
        "file" | "read" | "readfile" | "slurp" | "cat" => ("os", "readfile"),
        "exists" | "fileexists" | "isfile" | "pathexists" => ("os", "file_exists"),
        "env" | "getenv" | "environ" => ("sys", "getenv"),
        "format" | "sprintf" | "printf" => ("fmt", "printf"),
        "keys" => ("map", "keys"),
        "values" => ("map", "values"),
        "append" | "push" | "extend" => ("list", "concat"),
        "base64" | "b64encode" | "base64encode" => ("encoding", "base64_encode"),
        "b64decode" | "base64decode" => ("encoding", "base64_decode"),
        "jsondecode" | "fromjson" | "parsejson" | "jsonloads" => ("encoding", "decode_json"),
        "match" | "regex" | "rematch" | "search" | "fullmatch" | "ismatch" => ("regexp", "match"),
        "basename" => ("golang/path", "base"),
        "dirname" => ("golang/path", "dir"),
        "now" | "timestamp" => ("datetime", "now"),
        "strftime" | "formatdate" | "dateformat" => ("datetime", "format"),
        "command" | "popen" | "shell" | "system" | "exec" | "run" | "checkoutput" | "getoutput" => ("os", "system"),
        "getcwd" | "cwd" | "pwd" => ("golang/os", "getwd"),
        "randint" | "randrange" | "randomint" => ("golang/math/rand", "intn"),
        "fail" | "error" | "raise" | "die" | "abort" => ("", "panic"),
        "itoa" | "inttostr" | "inttostring" | "formatint" => {
            return Some(Ours::Help("format a number as text with `fmt.printf(\"%d\", $n)`, after `import \"fmt\"`"));
        }
        "str" | "string" | "tostring" | "tostr" => {
            return Some(Ours::Help(
                "format a value as text with `fmt.printf(\"%v\", $value)`, after `import \"fmt\"`",
            ));
        }
        "jsonencode" | "tojson" | "dumps" | "yamlencode" | "toyaml" | "stringify" => {
            return Some(Ours::Help(
                "write the text with `fmt.printf(\"…\", …)` or `golang.template(\"…\", $values)`: MCL has no function that \
                 encodes values",
            ));
        }
        "enumerate" => {
            return Some(Ours::Help(
                "a loop also provides the index of each element: `for $index, $value in $list { … }`",
            ));
        }
        "sort" | "sorted" | "sortby" | "reverse" | "reversed" => {
            return Some(Ours::Help(
                "MCL has no function that sorts a list: write its elements in the order that you need",
            ));
        }
        "unique" | "uniq" | "distinct" | "sum" | "any" | "all" => {
            return Some(Ours::Help(
                "the elements of a list are combined with `iter.reduce($start, $list, func($acc, $x) { … })`, after \
                 `import \"iter\"`",
            ));
        }
        "merge" | "deepmerge" | "combine" => {
            return Some(Ours::Help("maps cannot be joined: write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`"));
        }
        "versioncmp" | "vercmp" | "version" | "versioncompare" => {
            return Some(Ours::Help(
                "compare a version as a string with `==`, or a part of it as a number: \
                 `convert.str_to_int(strings.split($version, \".\")[0])`, after `import \"convert\"` and `import \"strings\"`",
            ));
        }
        "toset" | "tolist" | "list" | "set" | "array" => {
            return Some(Ours::Help("write a list as `[\"a\", \"b\"]`"));
        }
        "tomap" | "dict" | "hash" => return Some(Ours::Help("write a map as `{\"a\" => 1, \"b\" => 2}`")),
        "createresources" | "ensurepackages" | "ensureresource" | "ensureresources" => {
            return Some(Ours::Help(
                "write the resource in a loop: `forkv $name, $value in $map { … }`, or give it a list of names",
            ));
        }
        "type" | "typeof" | "isinstance" | "typename" => {
            return Some(Ours::Help("the type of each value is known before the program runs: remove the check"));
        }
        "inlineepp" | "inlinetemplate" => ("golang", "template"),
        "epp" | "templatefile" | "render" | "rendertemplate" | "template" => {
            return Some(Ours::Help(
                "render a template from its text: `golang.template(deploy.readfile(\"/name.tmpl\"), $values)`, after \
                 `import \"golang\"` and `import \"deploy\"`",
            ));
        }
        "title" | "capitalize" | "titlecase" => ("golang/strings", "title"),
        "default" | "coalesce" | "try" | "can" | "pick" => {
            return Some(Ours::Help("for a fallback if a value fails, write `$value <|> $fallback`"));
        }
        "lookup" | "hiera" | "databagitem" | "databag" => {
            return Some(Ours::Help(
                "write the data as a map, and look the value up: `$map[\"key\"] <|> $fallback`; an environment variable is \
                 `sys.getenv(\"NAME\")`, after `import \"sys\"`",
            ));
        }
        "items" | "entries" | "iteritems" => {
            return Some(Ours::Help("iterate over a map with `forkv $key, $value in $map { … }`"));
        }
        "dig" | "get" => {
            return Some(Ours::Help("to look up a value in a map, write `$map[\"key\"] <|> $fallback`"));
        }
        "fetch" | "httpget" | "urlopen" | "wget" | "curl" | "download" => {
            return Some(Ours::Help(
                "download it with a resource: `http:client \"/path\" { url => \"https://…\", }`; its name is the file",
            ));
        }
        "require" | "include" | "load" => {
            return Some(Ours::Help("import a module at the top of the file: `import \"name\"`"));
        }
        "cidrsubnet" | "cidrsubnets" => {
            return Some(Ours::Help(
                "write the network itself, such as `\"10.0.2.0/24\"`: MCL has no function that divides one",
            ));
        }
        "cidrhost" => {
            return Some(Ours::Help(
                "write the address itself; the first one of a network is `net.cidr_to_first(\"10.0.2.0/24\")`, after `import \"net\"`",
            ));
        }
        "each" | "foreach" => return Some(Ours::Help("write `for $index, $value in $list { … }`")),
        "map" | "collect" => ("iter", "map"),
        "filter" | "select" | "grep" => ("iter", "filter"),
        "split" => ("strings", "split"),
        "contains" | "includes" => ("strings", "contains"),
        "defined" | "isdefined" => {
            return Some(Ours::Help(
                "look up a key of a map with a fallback: `$map[\"key\"] <|> $fallback`; a program cannot check \
                 whether a resource is declared",
            ));
        }
        "haskey" | "containskey" => {
            return Some(Ours::Help("look the key up with a fallback: `$map[\"key\"] <|> $fallback`"));
        }
        _ => return None,
    };
    Some(Ours::Function(module, function))
}

/// What to write instead of a function that MCL has no counterpart for, or whose last part means something else here.
fn of_library(name: &str) -> Option<&'static str> {
    Some(match name.replace('_', "").to_ascii_lowercase().as_str() {
        "gethostname" | "getfqdn" | "socket.gethostname" | "socket.getfqdn" | "platform.node" => {
            "for the name of the host, write `$hostname`"
        }
        "platform.system" | "platform.platform" | "platform.release" | "platform.version" | "os.uname" | "uname" => {
            "for the family of the distribution, write `os.family()`, after `import \"os\"`"
        }
        "max" | "min" => "compare the two values: `if $a > $b { $a } else { $b }`",
        "sleep" | "time.sleep" | "wait" => {
            "remove the call: a resource that needs another one waits for it with `Depend => Kind[\"name\"],`"
        }
        "print" | "println" | "echo" | "puts" => "print a message with a resource: `print \"name\" { msg => \"…\", }`",
        "re.sub" | "regexreplace" | "replaceregex" => {
            "to replace a text, write `strings.replace_all($text, \"old\", \"new\")`, after `import \"strings\"`; MCL has no function \
             that replaces by a pattern"
        }
        "md5" | "sha1" | "sha256" | "sha512" | "hashlib.md5" | "hashlib.sha256" | "filemd5" | "filesha256" => {
            "MCL has no function for checksums: write the checksum as a string"
        }
        "yamldecode" | "fromyaml" | "parseyaml" | "loadyaml" | "yaml.load" | "yaml.safeload" | "yaml.parse" => {
            "MCL has no function that reads YAML: write the data as JSON, and read it with `encoding.decode_json(…)`, after \
             `import \"encoding\"`"
        }
        "empty" | "isempty" | "isnull" | "isnil" | "isnone" | "blank" => {
            "compare it with an empty value, as in `$text == \"\"` or `len($list) == 0`"
        }
        _ => return None,
    })
}

/// The function of ours, with its module, for another tool's function.
pub fn counterpart(name: &str) -> Option<String> {
    match function(name)? {
        Ours::Function("", function) => Some(function.to_owned()),
        Ours::Function(module, function) => Some(format!("{module}.{function}")),
        Ours::Help(_) => None,
    }
}

/// Where the programs of other tools find facts.
pub(super) fn is_source_of_facts(name: &str) -> bool {
    matches!(name, "facts" | "facter" | "grains" | "pillar" | "node" | "trusted" | "hostvars" | "ohai" | "salt")
}

/// The counterpart of a fact: the keys in brackets after `$facts`, joined.
pub(super) fn fact(after: &[u8]) -> Option<&'static str> {
    const MOST: usize = 80;
    let after = std::str::from_utf8(&after[..after.len().min(MOST)]).unwrap_or_default();
    let mut keys = Vec::new();
    let mut rest = after;
    while let Some((key, more)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        keys.push(key.trim_matches(['"', '\'']));
        rest = more;
    }
    let last = keys.last().copied().filter(|key| matches!(*key, "hostname" | "fqdn" | "certname"));
    variable(&keys.join("_")).or_else(|| variable(last?))
}

/// The function of ours that takes the value of a method of another language.
pub(super) fn method(name: &str) -> Option<String> {
    match function(name)? {
        Ours::Function("", function) => Some(function.to_owned()),
        Ours::Function(module, function) => Some(format!("{}.{function}", module.rsplit('/').next().unwrap_or(module))),
        Ours::Help(_) => None,
    }
}

/// The module of that function, if it has one.
pub(super) fn module_of_method(name: &str) -> Option<&'static str> {
    match function(name)? {
        Ours::Function(module, _) if !module.is_empty() => Some(module),
        Ours::Function(..) | Ours::Help(_) => None,
    }
}

/// The core module for another language's.
pub(super) fn module(name: &str) -> Option<&'static str> {
    Some(match name {
        "json" | "encoding/json" | "base64" | "encoding/base64" => "encoding",
        "re" | "regex" => "regexp",
        "time" | "date" => "datetime",
        "string" | "text" => "strings",
        "io" | "ioutil" | "fs" => "os",
        "conv" => "convert",
        // The names of its functions are those of Go.
        "strconv" => "golang/strconv",
        "array" | "lists" | "slices" => "list",
        "maps" | "dict" => "map",
        "itertools" | "functools" => "iter",
        "path" | "filepath" | "path/filepath" | "os/path" => "golang/path",
        "format" => "fmt",
        "random" | "rand" | "math/rand" => "golang/math/rand",
        "template" | "text/template" => "golang",
        _ => return None,
    })
}

/// The counterpart of another tool's variable, as a help text.
pub(super) fn variable(name: &str) -> Option<&'static str> {
    let word = name.split('.').next()?.to_ascii_lowercase();
    Some(match word.strip_prefix("ansible_").unwrap_or(&word) {
        "pillar" => {
            "write the data as a map, and look a value up: `$web = {\"port\" => \"80\"}`, then `$web[\"port\"] <|> $fallback`"
        }
        name if is_source_of_facts(name) => {
            "facts are functions, such as `sys.cpu_count()` after `import \"sys\"`; `mclive docs functions` lists them"
        }
        "env" | "environ" | "environment" => {
            "read an environment variable with `sys.getenv(\"NAME\")`, after `import \"sys\"`"
        }
        "path" if name.contains('.') => {
            "read a file of the program with `deploy.readfile(\"/name\")`, after `import \"deploy\"`"
        }
        "null" | "nil" | "none" | "undef" | "undefined" => {
            "MCL has no null values: leave the field out, or give it an empty value such as `\"\"`"
        }
        "name" | "title" => {
            "a resource cannot refer to its own name: write it as a string, or define a variable for it"
        }
        "item" | "each" | "count" | "self" => {
            "name the variables of a loop in its head: `for $index, $value in $list { … }`"
        }
        "var" | "local" => "refer to a variable by its name: `$name`",
        "fqdn" | "inventory_hostname" | "nodename" | "host" | "hostname" | "clientcert" | "certname" => {
            "for the name of the host, write `$hostname`"
        }
        "os" | "osfamily" | "os_family" | "os_name" | "operatingsystem" | "distribution" => {
            "for the family of the distribution, write `os.family()`, after `import \"os\"`"
        }
        "processorcount" | "processors_count" | "processor_count" | "processor_vcpus" | "nproc" | "num_cpus" => {
            "for the number of CPUs, write `sys.cpu_count()`, after `import \"sys\"`"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corelib;

    #[test]
    fn counterparts_exist() {
        let foreign = [
            "upper",
            "lower",
            "trim",
            "startsWith",
            "endswith",
            "gsub",
            "substring",
            "join",
            "length",
            "int",
            "float",
            "file",
            "file_exists",
            "env",
            "sprintf",
            "keys",
            "values",
            "push",
            "b64encode",
            "b64decode",
            "from_json",
            "regex",
            "basename",
            "dirname",
            "now",
            "shell",
            "fail",
            "split",
            "filter",
            "strftime",
            "os.getcwd",
            "random.randint",
            "subprocess.check_output",
            "re.search",
        ];
        for name in foreign {
            let Some(Ours::Function(module, ours)) = function(name) else { panic!("`{name}` has no counterpart") };
            let mut known = corelib::all();
            let is_known = known.any(|def| def.module().unwrap_or_default() == module && def.name() == ours);
            assert!(is_known, "`{module}.{ours}`, for `{name}`");
        }
        for name in ["json", "re", "time", "string", "io", "strconv", "array", "maps", "itertools", "path", "template"]
        {
            let ours = module(name).expect("a counterpart");
            assert!(corelib::module(ours).is_some(), "`{ours}`, for `{name}`");
        }
        assert_eq!(function("frobnicate"), None);
        assert_eq!(fact(b"[\"os\"]['family'] == 1"), variable("os_family"));
        assert_eq!(fact(b"[\"networking\"][\"hostname\"]"), variable("hostname"));
        assert_eq!(fact(b"[\"memory\"][\"count\"]"), None);
        // What belongs to another tool is not a function of ours, whatever its last part is.
        assert_eq!(function("grains.get"), variable("grains").map(Ours::Help));
        assert_ne!(function("grains.get"), function("get"));
        assert_ne!(function("platform.system"), function("system"));
    }
}

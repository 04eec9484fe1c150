//! Statements of programming languages, of a shell, and what is copied along with a program.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const NAME: &str = "variables are defined without a keyword";
const RUN: &str = "to run a command, write `exec \"name\" { cmd => \"/bin/command\", args => [\"…\"], }`";
const SHELL: &str = "this looks like a shell command";
const RESOURCE: &str = "write a resource as `kind \"name\" { field => value, }`, without a variable";
const FILE: &str = "write the configuration as the content of a file: `file \"/etc/name.conf\" { state => \"exists\", content => \"…\", }`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «for WORD in $( seq» …",
        "this looks like a shell loop",
        NOT,
        "write `for $index, {1:var} in iter.range(1, 6) { … }`, after `import \"iter\"`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «NAME WORD | NAME» …?", SHELL, NOT, RUN),
    Mistake::new("LINE «NAME WORD WORD | NAME» …?", SHELL, NOT, RUN),
    Mistake::new("LINE «$ _ NAME NAME» …?", "this looks like a shell prompt", NOT, "remove the line: a program cannot \
        contain commands")
        .more(RUN),
    Mistake::new(
        "LINE if/elif/while «grep/test/command/which/systemctl/dpkg/pgrep/id …» ; then/do EOL",
        "a command is not a condition",
        "this looks like a shell",
        "write the condition of a command in the field `ifcmd`: `exec \"name\" { cmd => \"…\", ifcmd => \"…\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "«$ ~ { ~ WORD ~ [ NUM ] ~ }»",
        "a variable has no braces outside of a string",
        "this looks like a shell parameter",
        "write `{1:var}[{2}]`",
    )
    .edit("{1:var}[{2}]")
    .covers(Cover::Match),
    Mistake::new(
        "if/( ( «VAR :=» …",
        "a condition cannot define a variable",
        "this looks like Python",
        "define the variable in a statement before this one: `{2} = …`",
    ),
    Mistake::new(
        "( «WORD :=» …",
        "a condition cannot define a variable",
        "this looks like Python",
        "define the variable in a statement before this one: `{1:var} = …`",
    ),
    Mistake::new(
        "LINE «WORD , * ~ WORD =» …",
        "each variable is defined separately",
        "expected a single variable",
        "write `${1} = …` and `${2} = …` in separate statements",
    ),
    Mistake::new(
        "VAR «|» VAR EOL",
        "MCL has no `|`",
        "not an MCL operator",
        "maps cannot be joined: write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "«os . environ [ STR ]»",
        "environment variables are read with functions",
        "this looks like Python",
        "write `sys.getenv({1})`, after `import \"sys\"`",
    ),
    Mistake::new(
        "«process . env . WORD»",
        "environment variables are read with functions",
        "this looks like JavaScript",
        "write `sys.getenv(\"{1}\")`, after `import \"sys\"`",
    ),
    Mistake::new(
        "«ENV [ STR ]»",
        "environment variables are read with functions",
        "this looks like Ruby",
        "write `sys.getenv({1})`, after `import \"sys\"`",
    ),
    Mistake::new(
        "LINE «module . exports» …",
        "MCL has no exports",
        NOT,
        "remove the line: everything that a file defines can be imported with `import \"file.mcl\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «const/let/var WORD = require ( STR )» ;? EOL",
        "modules are imported with `import`",
        NOT,
        "JavaScript modules cannot be used; import an MCL module as in `import \"fmt\"`; `mclive docs functions` lists \
         them",
    ),
    Mistake::new(
        "LINE «VAR ??/|| ~ =» VALUE",
        "a variable cannot be changed",
        NOT,
        "define another variable: `$next = {1} <|> {3}`",
    ),
    Mistake::new("VAR ~ «!» EOL", "MCL has no `!`", "this looks like TypeScript", "remove the `!`").edit(""),
    Mistake::new("VAR ~ «!» ,/;/)/.", "MCL has no `!`", "this looks like TypeScript", "remove the `!`").edit(""),
    Mistake::new(
        "LINE «class CAP extends/implements/< …» {",
        "MCL has no classes with methods",
        NOT,
        "group statements in a class: `class name { … }`, and `include name`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «setTimeout/setInterval/sleep (» …",
        "MCL has no `{1}`",
        NOT,
        "remove the line: a resource that needs another one waits for it with `Depend => Kind[\"name\"],`",
    ),
    Mistake::new(
        "LINE «readonly/public/private WORD : WORD =» …",
        "MCL has no `{1}`",
        NAME,
        "write `{2:var} = …`; a type follows the name, as in `$x int = 1`",
    ),
    Mistake::new("LINE «IF/If …» THEN/Then EOL", "MCL keywords are in lower case", "expected `if`", "write `if \
        $condition { … }`")
        .covers(Cover::Indented),
    Mistake::new(
        "LINE func NAME ( …? ) «( … )» {",
        "a function returns one value",
        "expected one type",
        "return a struct: `func {1}() struct{value int; ok bool} { … }`",
    ),
    Mistake::new(
        "LINE «apiVersion/kind/metadata :» …?",
        "this looks like Kubernetes",
        NOT,
        "declare a container with `docker:container \"name\" { image => \"…\", }`, and a resource with `kind \"name\" { field => value, }`",
    )
    .covers(Cover::File),
    Mistake::new(
        "LINE «foreach ( VAR as VAR => VAR )»",
        "MCL has no `foreach`",
        "expected `for`",
        "write `forkv {2}, {3} in {1} { … }` for a map, and `for {2}, {3} in {1} { … }` for a list",
    ),
    Mistake::new(
        "LINE «foreach ( VAR as VAR )»",
        "MCL has no `foreach`",
        "expected `for`",
        "write `for $index, {2} in {1} { … }`",
    ),
    Mistake::new(
        "LINE «for/foreach my? VAR ( @ ~ WORD )»",
        "a loop has two variables",
        "this looks like Perl",
        "write `for $index, {2} in {3:var} { … }`",
    ),
    Mistake::new(
        "LINE «fro/fore/forr/fr/ofr/four VAR , VAR in» …",
        "MCL has no `{1}`",
        "expected `for`",
        "write `for {2}, {3} in $list { … }`",
    ),
    Mistake::new("LINE «WORD :: CAP (» …", "a resource is not a call", "this looks like Inmanta", RESOURCE)
        .covers(Cover::Indented),
    Mistake::new(
        "LINE «WORD ::» …",
        "a type is not declared separately",
        "this looks like Haskell",
        "the types follow the names: `func {1}($x int) int { … }`",
    ),
    Mistake::new("=/=>/(/, «Vec/Set/List/HashSet/Array :: WORD» (", "types have no functions", "not an MCL value", "write a list as `[\"a\", \"b\"]`"),
    Mistake::new("=/=>/(/, «HashMap/BTreeMap/Map :: WORD» (", "types have no functions", "not an MCL value", "write a map as `{\"a\" => 1, \"b\" => 2}`"),
    Mistake::new("=/=>/( «WORD :: CAP (» …", "a resource is not a value", "this looks like Inmanta", RESOURCE)
        .covers(Cover::Indented),
    Mistake::new("=/=>/(/,/[ «& mut» VAR", "MCL has no references", "not an MCL operator", "write only the value: `{2}`"),
    Mistake::new(
        "VAR «& ~ .» WORD",
        "MCL has no `&.`",
        "not an MCL operator",
        "every variable has a value; for a fallback if a value fails, write `$value <|> $fallback`",
    ),
    Mistake::new(
        "=/=>/(/, «( int/float )» VALUE",
        "MCL has no casts",
        "a type is not a value",
        "convert a value with `convert.to_{2}({3})`, after `import \"convert\"`",
    ),
    Mistake::new(
        "NUM/VAR/) «<</>>» NUM/VAR",
        "MCL has no `{2}`",
        "not an MCL operator",
        "multiply or divide by a power of two, as in `$n * 16`",
    ),
    Mistake::new("=/=>/(/,/[ «&» ~ WORD", "MCL has no references", "not an MCL operator", "write only the value: `{2:var}`"),
    Mistake::new("=/=>/(/,/[ «@ ~ WORD»", "variables begin with `$`", "this looks like Ruby", "write `{2:var}`")
        .edit("{2:var}")
        .covers(Cover::Match),
    Mistake::new(
        "LINE «module CAP» EOL",
        "MCL has no `module`",
        NOT,
        "a module is a directory, imported with `import \"name/\"`; group statements in a class: `class name { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «resource WORD STR =» {", "this looks like Bicep", NOT, RESOURCE).covers(Cover::Indented),
    Mistake::new("LINE «new WORD» …", "MCL has no `new`", NOT, RESOURCE).covers(Cover::Indented),
    Mistake::new(
        "LINE «guard …» {",
        "MCL has no `guard`",
        NOT,
        "for a fallback if a value fails, use `<|>`: `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «using/uses CAP …?» ;? EOL", "MCL has no `{1}`", NOT, "import a module as in `import \"fmt\"`; `mclive docs functions` lists the modules"),
    Mistake::new("LINE «while/until …» : EOL", "MCL has no loop with a condition", NOT, "iterate over a list: `for $index, $value in $list { … }`")
        .covers(Cover::Indented),
    Mistake::new(
        "=/=>/( «match/switch/case/when VALUE {» …",
        "MCL has no `{2}`",
        "not an MCL value",
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «param (» …", "MCL has no `param`", NOT, "read a value from the environment with `sys.getenv(\"NAME\")`, after `import \"sys\"`"),
    Mistake::new("LINE «-/+ ~ VAR» …", "this looks like a diff", NOT, "remove the `{1}` at the start of the line"),
    Mistake::new("LINE «+ ~ WORD» …", "this looks like a diff", NOT, "remove the `+` at the start of the line"),
    Mistake::sign("VALUE «& ~ gt ~ ;» VALUE", "expected `>`, found `&gt;`", "replace `&gt;` with `>`", ">"),
    Mistake::sign("VALUE «& ~ lt ~ ;» VALUE", "expected `<`, found `&lt;`", "replace `&lt;` with `<`", "<"),
    Mistake::new("LINE «NAME * ~ WORD» = …", "MCL has no pointers", NAME, "write `{2:var} = …`"),
    Mistake::new("LINE «NUM ~ . ~ NUM» …", "this looks like a configuration file", NOT, FILE),
    Mistake::new(
        "LINE «/ ~ dev …» EOL",
        "this looks like a line of `/etc/fstab`",
        NOT,
        "declare a mount with `mount \"/path\" { state => \"exists\", device => \"/dev/sda1\", type => \"ext4\", }`",
    ),
    Mistake::new("@edge LINE «CAP _ CAP/NAME/NUM» …? EOL", "this looks like a configuration file", NOT, FILE)
        .covers(Cover::Indented),
    Mistake::new("LINE «NAME ALL» = …", "this looks like a line of `/etc/sudoers`", NOT, FILE),
];

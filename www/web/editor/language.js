// MCL for the editor: how words, marks and names are displayed. Colours only; the compiler
// determines what is valid.
import { HighlightStyle, LanguageSupport, StreamLanguage, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

const words = (text) => new Set(text.split(" "));
const control = words("if else for forkv in and or not as");
const definition = words("import class include func panic collect");
const types = words("bool str int float map struct variant");
const constants = words("true false");

/** Inside a string: text, an escape, or the beginning of a hole. */
function inString(stream, state) {
  if (stream.match("${")) {
    state.hole = true;
    return "special";
  }
  if (stream.match(/^\\./)) return "escape";
  if (stream.eat('"')) {
    state.string = false;
    return "string";
  }
  stream.next();
  stream.eatWhile(/[^"\\$]/);
  return "string";
}

function token(stream, state) {
  if (state.string && !state.hole) return inString(stream, state);
  if (state.hole) {
    if (stream.eat("}")) {
      state.hole = false;
      return "special";
    }
    if (stream.match(/^[^}"\n]+/)) return "variableName";
    state.hole = false;
    return inString(stream, state);
  }
  const atStart = state.atStart;
  if (stream.eatSpace()) return null;
  if (stream.eat("#")) {
    stream.skipToEnd();
    return "comment";
  }
  state.atStart = false;
  if (stream.eat('"')) {
    state.string = true;
    return "string";
  }
  if (stream.match(/^\$[a-z][a-z0-9_.]*/)) return "variableName";
  if (stream.match(/^-?\d+(\.\d+)?/)) return "number";
  if (stream.match(/^(=>|->|\?:|<\|>|==|!=|<=|>=|[+\-*/<>=])/)) return "operator";
  if (stream.match(/^[A-Z][a-z0-9_]*(:[a-z0-9_]+)*/)) return "className";
  const name = stream.match(/^[a-z][a-z0-9_]*/);
  if (name) {
    const word = name[0];
    if (definition.has(word)) return "definitionKeyword";
    if (control.has(word)) return "keyword";
    if (types.has(word)) return "typeName";
    if (constants.has(word)) return "bool";
    if (stream.match(/^\s*=>/, false)) return "propertyName";
    if (stream.match(/^(\.[a-z0-9_]+)*\s*\(/, false)) {
      stream.match(/^(\.[a-z0-9_]+)*/);
      return "function";
    }
    // A word that begins a statement and precedes a name is a resource's kind.
    if (atStart && stream.match(/^(:[a-z0-9_]+)*\s+["[$a-z]/, false)) {
      stream.match(/^(:[a-z0-9_]+)*/);
      return "kind";
    }
    return "name";
  }
  const mark = stream.next();
  if (mark === "{" || mark === "}" || mark === ";") state.atStart = true;
  return "punctuation";
}

/** What tokens are called beside the highlighter's own names. */
export const look = {
  special: tags.special(tags.brace),
  escape: tags.escape,
  function: tags.function(tags.variableName),
  kind: tags.standard(tags.tagName),
  namespace: tags.name,
  name: tags.name,
};

const mcl = StreamLanguage.define({
  name: "mcl",
  startState: () => ({ string: false, hole: false, atStart: true }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (stream.sol() && !state.string) state.atStart = true;
    return token(stream, state);
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  indent(state, textAfter, context) {
    const before = context.lineIndent(context.pos, -1);
    const opened = /[{[(]\s*(#.*)?$/.test(context.textAfterPos(context.pos, -1));
    return before + (opened ? context.unit : 0) - (/^\s*[}\])]/.test(textAfter) ? context.unit : 0);
  },
  tokenTable: look,
});

// The colours are the page's own variables, so both themes follow it.
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--syntax-comment)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--syntax-keyword)" },
  { tag: tags.string, color: "var(--syntax-string)" },
  { tag: [tags.escape, tags.special(tags.brace)], color: "var(--syntax-escape)" },
  { tag: [tags.number, tags.bool], color: "var(--syntax-number)" },
  { tag: tags.variableName, color: "var(--syntax-variable)" },
  { tag: tags.function(tags.variableName), color: "var(--syntax-function)" },
  { tag: [tags.typeName, tags.className], color: "var(--syntax-type)" },
  { tag: tags.standard(tags.tagName), color: "var(--syntax-kind)", fontWeight: "600" },
  { tag: tags.propertyName, color: "var(--syntax-property)" },
  { tag: [tags.operator, tags.punctuation], color: "var(--syntax-mark)" },
]);

/** Where there is no editor: the same colours as classes, such as `tok-keyword`. */
const classes = tagHighlighter([
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.keyword, tags.definitionKeyword], class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: [tags.escape, tags.special(tags.brace)], class: "tok-escape" },
  { tag: [tags.number, tags.bool], class: "tok-number" },
  { tag: tags.variableName, class: "tok-variable" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
  { tag: [tags.typeName, tags.className], class: "tok-type" },
  { tag: tags.standard(tags.tagName), class: "tok-kind" },
  { tag: tags.propertyName, class: "tok-property" },
  { tag: [tags.operator, tags.punctuation], class: "tok-mark" },
]);

/** A program's pieces: a list of [class, text]; without a colour the class is empty. MCL, unless there is a parser of another language. */
export function colourText(text, parser = mcl.parser) {
  const pieces = [];
  const put = (piece, name) => pieces.push([name, piece]);
  highlightCode(text, parser.parse(text), classes, put, () => put("\n", ""));
  return pieces;
}

export const language = [new LanguageSupport(mcl), indentUnit.of("\t")];
export const highlighting = syntaxHighlighting(colours);

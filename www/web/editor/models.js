// Models for the editor: how words, marks and names are displayed. Colours only; the compiler determines what is valid.
import { LanguageSupport, StreamLanguage, indentUnit } from "@codemirror/language";
import { look } from "./language.js";

const words = (text) => new Set(text.split(" "));
const definition = words("typedef entity implementation implement index import extends end using matching when as parents");
const control = words("for in if elif else and or not is defined");
const types = words("string int float number bool list dict");
const constants = words("true false null undef");

/** Inside a long string, which may go over several lines. */
function inLong(stream, state) {
  if (stream.match(/^\{\{\s*[\w.-]+\s*\}\}/)) return "special";
  if (stream.match('"""')) {
    state.long = false;
    return "string";
  }
  stream.next();
  stream.eatWhile(/[^"{]/);
  return "string";
}

function token(stream, state) {
  if (state.long) return inLong(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.eat("#")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match('"""')) {
    state.long = true;
    return "string";
  }
  if (stream.match(/^[fr]?"([^"\\\n]|\\.)*"?/) || stream.match(/^[fr]?'([^'\\\n]|\\.)*'?/)) return "string";
  if (stream.match(/^-?(\d+(\.\d+)?|\.\d+)/)) return "number";
  if (stream.match(/^(--|->|<-|==|!=|<=|>=|\+=|\*\*|[+\-*/%<>=?])/)) return "operator";
  if (stream.match(/^matching\s+\/([^/\\\n]|\\.)+\//)) return "string";
  const name = stream.match(/^[A-Za-z_][\w-]*/);
  if (name) {
    const word = name[0];
    if (definition.has(word)) return "definitionKeyword";
    if (control.has(word)) return "keyword";
    if (types.has(word)) return "typeName";
    if (constants.has(word)) return "bool";
    if (/^[A-Z]/.test(word)) return "className";
    if (stream.match(/^::/, false)) return "namespace";
    if (stream.match(/^\s*\(/, false)) return "function";
    if (stream.match(/^=(?!=)/, false)) return "propertyName";
    return "variableName";
  }
  stream.next();
  return "punctuation";
}

const inmanta = StreamLanguage.define({
  name: "inmanta",
  startState: () => ({ long: false }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: {
    commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] }, indentOnInput: /^\s*(end|else:|elif|[)\]}])$/,
  },
  indent(state, textAfter, context) {
    const before = context.lineIndent(context.pos, -1);
    const opened = /[:{[(]\s*(#.*)?$/.test(context.textAfterPos(context.pos, -1));
    return before + (opened ? context.unit : 0) - (/^\s*(end\b|elif\b|else\b|[)\]}])/.test(textAfter) ? context.unit : 0);
  },
  tokenTable: look,
});

export const models = [new LanguageSupport(inmanta), indentUnit.of("    ")];

/**
 * Recognizes the first line of a definition in many languages by its words alone. All expressions have bounds, so a
 * line takes limited time.
 */
import type { Family } from './languages.ts';

export interface HeadLine {
  /** This is the line without its indentation, or the beginning of a long one. */
  readonly text: string;
  readonly isIndented: boolean;
  /** Returns the next lines. */
  readonly below: () => string;
}

/** Returns the name of the definition that begins in the line, or null for any other line. */
export function definedIn(line: HeadLine, family: Family): string | null {
  const text = line.text.replace(ANNOTATIONS, '');
  const { isModified, rest } = withoutModifiers(text);
  const keyword = KEYWORD.exec(rest)?.[1];
  const name =
    (keyword === undefined ? null : afterKeyword(keyword, rest, { line, family })) ??
    (family === 'script' ? assigned(text) : null) ??
    (family === 'words' ? null : signed(rest, { line, family, isModified }));
  const title = name?.replace(/\s+/g, ' ').replace(/[\s:.]+$/, '') ?? '';
  return title === '' || KEYWORDS.has(title) ? null : title;
}

const words = (list: string): Set<string> => new Set(list.split(/\s+/));

const ANNOTATIONS = /^(?:@\w[\w.]{0,80}(?:\([^()]{0,200}\))?\s+){1,9}(?=[^\s@])/;

const MODIFIERS = words(
  `export default declare public private protected internal fileprivate static abstract final sealed partial
  async pub unsafe open data inline override virtual const suspend local readonly companion tailrec operator infix
  external actual expect lazy extern friend explicit constexpr synchronized native strictfp new volatile my our
  typedef`,
);
const TYPES =
  'class|@?interface|struct|enum|union|trait|impl|module|mod|namespace|object|record|defmodule';
const KEYWORD = new RegExp(
  `^(${TYPES}|def|defp|defmacrop?|fn|func|fun|function|sub|type|typealias|macro_rules!)(?=[\\s*<(])`,
);
const TYPE = new RegExp(`^(?:${TYPES})$`);
const KEYWORDS = words(`${TYPES} def fn func fun function sub type`.replaceAll('|', ' '));

/** Skips words such as `public static`, with what they have in brackets or quotes, as `pub(crate)` and `extern "C"`. */
function withoutModifiers(text: string): { isModified: boolean; rest: string } {
  let rest = text;
  for (;;) {
    const word = /^([a-z]+)(?:\([a-z: ]{0,40}\)|\s+"[^"]{0,20}")?\s+(?![\s(])/.exec(rest);
    if (!word || !MODIFIERS.has(word[1]!)) return { isModified: rest !== text, rest };
    rest = rest.slice(word[0].length);
  }
}

interface HeadContext {
  readonly line: HeadLine;
  readonly family: Family;
}

function afterKeyword(keyword: string, rest: string, { line, family }: HeadContext): string | null {
  const isType = TYPE.test(keyword);
  if (isType && family !== 'words' && !opensBlock(`${rest}\n${line.below()}`)) return null;
  // A declaration without a body defines nothing, except for `struct Unit;` of Rust.
  if (keyword !== 'struct' && /^[^{=]*;\s*$/.test(rest)) return null;
  if (keyword === 'impl')
    return /^impl(?:<.{0,80}?>)?\s+((?:(?!\bwhere\b)[^{]){1,100})/.exec(rest)?.[1] ?? null;
  if (keyword === 'func') return methodOfGo(rest);
  if (isType && family === 'types') return lastName(rest);
  if (keyword === 'def') return /^def\s+([^\s(;]{1,100})/.exec(rest)?.[1] ?? null;
  return NAMED.exec(rest)?.[1] ?? null;
}

const NAMED =
  /^\S{1,20}?\*?\s+(?:class\s+)?(?:<[^>]{0,80}>\s*)?([\p{L}_$][\p{L}\p{N}_$.:?!-]{0,100})/u;

/** A class of C++ may have macros before its name. */
const lastName = (rest: string): string | null =>
  /([\w:$]{1,100})\s*$/.exec(rest.split(AFTER_NAME)[0]!)?.[1] ?? null;
const AFTER_NAME = /[{<;(]|(?<!:):(?!:)|\b(?:final|extends|implements|permits|where)\b/;

/** A method of Go has its receiver before its name. */
function methodOfGo(rest: string): string | null {
  const found = /^func\s+(?:\(\s*(?:\w{1,60}\s+)?\*?(\w{1,60})[^)]{0,60}\)\s*)?(\w{1,100})/.exec(
    rest,
  );
  if (!found) return null;
  return found[1] === undefined ? found[2]! : `${found[1]}.${found[2]}`;
}

/** Where the name of a type is only used, something else comes before the next brace. */
function opensBlock(text: string): boolean {
  const head = /^[^;{}]{0,400}\{/.exec(text)?.[0];
  return head !== undefined && !/\n\s*\n|[,)=]/.test(head.replace(BETWEEN_NAME_AND_BLOCK, ''));
}
const BETWEEN_NAME_AND_BLOCK =
  /<[^{]*>|(?<!:):(?!:)[^{]*|\b(?:extends|implements|permits)\b[^{]*|\([^(){]*\)/g;

/** After a colon, a type looks like a function, so only one whose body begins here counts. */
const ASSIGNED =
  /^(?:export\s+)?(?:(?:const|let|var|local)\s+)?([\w$.]{1,100})\s*(?::[^=]{0,200})?=\s*(?:async\s+)?(?:function\b|(?:<[^=]{0,200}>)?\([^;]{0,200}=>|[\w$]{1,60}\s*=>|class\b|(?:<[^=]{0,200}>)?\($)/;
const MEMBER =
  /^([\w$]{1,100})\s*:\s*(?:async\s+)?(?:function\b|\(?[^();]{0,200}\)?\s*=>\s*\{\s*$)/;
const EXPORTED = /^export\s+const\s+([\w$]{1,100})/;

const assigned = (text: string): string | null =>
  (ASSIGNED.exec(text) ?? MEMBER.exec(text) ?? EXPORTED.exec(text))?.[1] ?? null;

/** A statement that begins with one of these words defines nothing. */
const STATEMENTS = words(
  `if else for while switch case catch return throw new do try finally with await yield delete assert elif except
  raise import from package using use require include foreach until unless let var val print echo lock super this
  sizeof typeof goto go defer`,
);
const SIGNATURE =
  /^([^(="'`]{0,200}?)(operator\s*[^\s\w(]{1,3}|[~\p{L}_$#][\p{L}\p{N}_$:~.]{0,100})\s*(?:<[^<>()]{0,60}>\s*)?\(/u;
/** This is a property of C#. */
const PROPERTY = /^[\w<>,.[\]? ]{1,100}\s(\w{1,100})\s*(?:\{[^=;]*)?$/;

/** A signature is `int name(parameters) {`, as in C, Java and the methods of JavaScript. */
function signed(
  rest: string,
  { line, family, isModified }: HeadContext & { readonly isModified: boolean },
): string | null {
  const found = SIGNATURE.exec(rest);
  if (!found) return isModified ? propertyOf(rest, line, family) : null;
  const [head, before = '', name = ''] = found;
  const first = /^[a-z]+/.exec(rest)?.[0] ?? '';
  if (!isModified && (STATEMENTS.has(first) || STATEMENTS.has(name))) return null;
  if (/[@,;?!|+/%.-]/.test(before.replace(/<[^()]*>/g, ''))) return null;
  const after = rest.slice(head.length);
  if (before.trim() === '' && !isModified && !isBareSignature(name, after, { line, family }))
    return null;
  return opensBody(`${after}\n${line.below()}`, family) ? name : null;
}

/** Without a type, this is a method, a constructor or a function of C, or it only calls something. */
function isBareSignature(name: string, after: string, { line, family }: HeadContext): boolean {
  if (name.includes('.')) return false;
  if (family === 'script') return true;
  if (/["'`]/.test(after)) return false;
  if (!line.isIndented) return true;
  return /^~|^[A-Z]|::/.test(name) && !/^[A-Z][A-Z0-9_]+$/.test(name);
}

function propertyOf(rest: string, line: HeadLine, family: Family): string | null {
  const name = family === 'types' ? PROPERTY.exec(rest)?.[1] : undefined;
  return name !== undefined && (rest.includes('{') || /^\s*\{/.test(line.below())) ? name : null;
}

/** Returns true when the bracket closes, and a body in braces begins before the next statement. */
function opensBody(after: string, family: Family): boolean {
  let depth = 1;
  let i = 0;
  for (; i < after.length && depth > 0; i++) {
    if (after[i] === '(') depth++;
    else if (after[i] === ')') depth--;
    else if (after[i] === ';') return false;
  }
  const head = BEFORE_BODY[family].exec(after.slice(i, i + 301))?.[0];
  return head !== undefined && !/\n\s*\n|^\s*(?:[.,)=+?|&*/]|-[^>])/.test(head);
}

/** Members may be initialized between the signature and the body of a constructor of C++. */
const ON_SEVERAL_LINES = /^[^;{}]{0,300}\{/;
/** Where lines end statements, the body begins in the same line or in the next one. */
const ON_ONE_LINE = /^[^;{}\n]{0,300}\n?[ \t]{0,100}\{/;
const BEFORE_BODY: Readonly<Record<Family, RegExp>> = {
  words: ON_ONE_LINE,
  types: ON_SEVERAL_LINES,
  script: ON_ONE_LINE,
};

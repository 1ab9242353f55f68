/**
 * Sets or removes one member of an object in a text of JSON with comments. Every other character stays as it is,
 * except for the comma beside the member. (`modify` of jsonc-parser formats the lines around the member again, so
 * only the parser of that library is used.)
 */
import type { Node, ParseError } from 'jsonc-parser';
import * as jsonc from 'jsonc-parser';

const PARSE_OPTIONS = { allowTrailingComma: true };
const BOM = '\uFEFF';

/** Throws an Error that says where the text is not valid JSON. */
export function readJson(text: string): unknown {
  return jsonc.getNodeValue(treeOf(text));
}

/**
 * Returns the text with the member set, or without the member when `value` is undefined. Throws an Error when the
 * member would not be in an object.
 */
export function editJson(
  text: string,
  [section, name]: readonly [string, string],
  value: unknown,
): string {
  const root = treeOf(text);
  const source = text.trim() === '' ? '{}\n' : text.replace(BOM, '');
  const file = { source, root };
  const editedText = edit();
  return text.startsWith(BOM) ? BOM + editedText : editedText;

  function edit(): string {
    const holder = memberOf(root, section);
    const entry = holder && memberOf(contentOf(holder), name);
    if (entry) return value === undefined ? without(source, entry) : replaced(file, entry, value);
    if (value === undefined) return source;
    if (holder) return withMember(file, contentOf(holder), { name, value });
    return withMember(file, root, { name: section, value: { [name]: value } });
  }
}

interface ParsedText {
  readonly source: string;
  readonly root: Node;
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  const source = text.trim() === '' ? '{}' : text.replace(BOM, '');
  const tree = jsonc.parseTree(source, errors, PARSE_OPTIONS);
  const [first] = errors;
  if (first || !tree) {
    const line = source.slice(0, first?.offset ?? 0).split('\n').length;
    const what = first ? jsonc.printParseErrorCode(first.error) : 'nothing in it';
    throw new Error(`it is not JSON: line ${line}, ${what}`);
  }
  return tree;
}

const contentOf = (member: Node): Node => member.children?.[1] ?? member;

function memberOf(object: Node, name: string): Node | undefined {
  if (object.type !== 'object')
    throw new Error(`there is a ${object.type} where an object belongs`);
  return object.children?.find((member) => member.children?.[0]?.value === name);
}

function replaced({ source, root }: ParsedText, member: Node, value: unknown): string {
  const { offset, length } = contentOf(member);
  const inLine = !source.slice(member.offset, offset + length).includes('\n');
  const indent = indentAt(source, member.offset);
  const layout = inLine ? undefined : layoutOf(source, indent, unitOf(source, root));
  return source.slice(0, offset) + written(value, layout) + source.slice(offset + length);
}

/** Adds the member in front of the others. After the last member, comments or a comma could follow, which must stay. */
function withMember(
  { source, root }: ParsedText,
  object: Node,
  { name, value }: { readonly name: string; readonly value: unknown },
): string {
  const open = object.offset + 1;
  const first = object.children?.[0];
  const rest = source.slice(open);
  const lineEnd = /^[ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n)/.exec(rest);
  const comma = first ? ',' : '';
  if (first && !lineEnd) {
    const member = `${JSON.stringify(name)}:${JSON.stringify(value)}${comma}`;
    return source.slice(0, open) + member + rest;
  }
  const outer = indentAt(source, object.offset);
  const indent = first ? indentAt(source, first.offset) : outer + unitOf(source, root);
  const layout = layoutOf(source, indent, unitOf(source, root));
  const member = `${layout.eol}${indent}${JSON.stringify(name)}: ${written(value, layout)}${comma}`;
  const at = open + (lineEnd?.[0].length ?? 0);
  // When the object closes in the same line, its closing bracket moves to a line of its own.
  const closing = lineEnd ? source.slice(at) : layout.eol + outer + source.slice(at).trimStart();
  return source.slice(0, at) + member + closing;
}

function without(source: string, member: Node): string {
  const siblings = member.parent?.children ?? [];
  const at = siblings.indexOf(member);
  const [before, next] = [siblings[at - 1], siblings[at + 1]];
  const end = member.offset + member.length;
  const after = commaBetween(source, end, next?.offset ?? endOf(member.parent));
  if (after !== undefined) return cutOut(source, member.offset, after + 1);
  const comma = before && commaBetween(source, endOf(before), member.offset);
  const rest = cutOut(source, member.offset, end);
  return comma === undefined ? rest : rest.slice(0, comma) + rest.slice(comma + 1);
}

const endOf = (node: Node | undefined): number => (node ? node.offset + node.length : 0);

/** Finds a comma between two offsets; commas in comments do not count. */
function commaBetween(source: string, from: number, to: number): number | undefined {
  const scanner = jsonc.createScanner(source);
  scanner.setPosition(from);
  while (scanner.getPosition() < to && scanner.scan() !== jsonc.SyntaxKind.EOF)
    if (scanner.getToken() === jsonc.SyntaxKind.CommaToken) return scanner.getTokenOffset();
  return undefined;
}

/** Removes the range of characters, and the lines that would be empty then. */
function cutOut(source: string, from: number, to: number): string {
  const lineStart = source.lastIndexOf('\n', from - 1) + 1;
  const lineRest = /^[ \t]*\r?\n/.exec(source.slice(to));
  const alone = lineRest && source.slice(lineStart, from).trim() === '';
  if (!alone) return source.slice(0, from) + source.slice(to);
  return source.slice(0, lineStart) + source.slice(to + lineRest[0].length);
}

interface Layout {
  readonly eol: string;
  readonly unit: string;
  /** This is the indentation of the line in which the value begins. */
  readonly indent: string;
}

const layoutOf = (source: string, indent: string, unit: string): Layout => ({
  eol: source.includes('\r\n') ? '\r\n' : '\n',
  unit,
  indent,
});

const written = (value: unknown, layout: Layout | undefined): string =>
  layout === undefined
    ? JSON.stringify(value)
    : JSON.stringify(value, null, layout.unit).replaceAll('\n', layout.eol + layout.indent);

/** Returns the white space at the beginning of the line of this offset. */
function indentAt(source: string, offset: number): string {
  const lineStart = source.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(lineStart, offset))?.[0] ?? '';
}

/** Returns the indentation of one level in this file, or two spaces when the file has no indented line. */
const unitOf = (source: string, root: Node): string => {
  const first = root.children?.[0];
  return (first && indentAt(source, first.offset)) || '  ';
};

/**
 * Finds the definitions of program text with grammars of tree-sitter. The packages are installed in this folder alone
 * (`npm install` here); Quarry does not use them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Definition } from '../../packages/server/src/documents/split/definitions.ts';

/** This is the part of a syntax tree that is used here; the type checker does not know the package. */
interface Node {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly startPosition: { readonly row: number };
  readonly endPosition: { readonly row: number };
  readonly namedChildren: readonly (Node | null)[];
  childForFieldName(name: string): Node | null;
}
interface Parser {
  setLanguage(language: unknown): void;
  parse(text: string): { readonly rootNode: Node; delete(): void };
}

const MODULES = join(import.meta.dirname, 'node_modules');
const GRAMMARS: Readonly<Record<string, string>> = {
  bash: 'bash sh',
  'c-sharp': 'cs',
  cpp: 'c cc cpp h hpp',
  go: 'go',
  java: 'java',
  javascript: 'js mjs',
  php: 'php',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  typescript: 'ts',
};
const parsers = new Map<string, Parser>();

/** Loads the grammars; without the packages it does nothing, and returns false. */
export async function loadGrammars(): Promise<boolean> {
  if (!existsSync(MODULES)) return false;
  const name = join(MODULES, 'web-tree-sitter/web-tree-sitter.js');
  const { Parser: Made, Language } = await import(name);
  await Made.init();
  for (const [grammar, extensions] of Object.entries(GRAMMARS)) {
    const file = join(MODULES, `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
    const parser: Parser = new Made();
    parser.setLanguage(await Language.load(readFileSync(file)));
    for (const extension of extensions.split(' ')) parsers.set(extension, parser);
  }
  return true;
}

/** Returns null for a file without a grammar. */
export function grammarFor(name: string): ((text: string) => readonly Definition[]) | null {
  const parser = parsers.get(/\.(\w+)$/.exec(name)?.[1] ?? '');
  return parser ? (text) => definitions(parser, text) : null;
}

const words = (list: string): Set<string> => new Set(list.split(/\s+/));
const DEFINITIONS = words(
  `abstract_class_declaration annotation_type_declaration class class_declaration class_definition class_specifier
  constructor_declaration destructor_declaration enum_declaration enum_item enum_specifier function_declaration
  function_definition function_item generator_function_declaration impl_item interface_declaration internal_module
  local_function_statement macro_definition method method_declaration method_definition mod_item module
  namespace_declaration namespace_definition property_declaration record_declaration singleton_method
  struct_declaration struct_item struct_specifier trait_declaration trait_item type_alias_declaration
  type_declaration type_item union_item union_specifier`,
);
const WRAPPERS = words('decorated_definition export_statement template_declaration');
const LEAD =
  /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:if|ifn?def|elif|else|endif|define|undef|include|pragma)\b)|@|\[)/;

function definitions(parser: Parser, text: string): Definition[] {
  const tree = parser.parse(text);
  const found: Definition[] = [];
  const visit = (node: Node, outer: Node): void => {
    const title = titleOf(node, outer !== node);
    if (title !== null) found.push({ ...linesOf(text, outer), title });
    // Definitions within a line are found only at its beginning, which keeps the walk short.
    if (node.endPosition.row === node.startPosition.row && !WRAPPERS.has(node.type)) return;
    for (const child of node.namedChildren)
      if (child) visit(child, WRAPPERS.has(node.type) ? outer : child);
  };
  visit(tree.rootNode, tree.rootNode);
  tree.delete();
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** Returns the lines of the node, with the comments and decorators directly above it. */
function linesOf(text: string, node: Node): { start: number; end: number } {
  const lineStart = (offset: number) => text.lastIndexOf('\n', offset - 1) + 1;
  let start = lineStart(node.startIndex);
  while (start > 0 && LEAD.test(text.slice(lineStart(start - 1), start)))
    start = lineStart(start - 1);
  const feed = text.indexOf('\n', node.endIndex);
  return { start, end: feed < 0 ? text.length : feed + 1 };
}

/** Returns null for a node that defines nothing. */
function titleOf(node: Node, isExported: boolean): string | null {
  const field = (name: string) => node.childForFieldName(name);
  const isFunction = (value: Node | null | undefined) => /function|class/.test(value?.type ?? '');
  switch (node.type) {
    case 'impl_item':
      return short([field('trait'), field('type')].flatMap((one) => one?.text ?? []).join(' for '));
    case 'lexical_declaration':
    case 'variable_declaration': {
      const declarator = node.namedChildren.find((one) => one?.type === 'variable_declarator');
      const isDefinition = isExported || isFunction(declarator?.childForFieldName('value'));
      return isDefinition ? short(declarator?.childForFieldName('name')?.text) : null;
    }
    case 'assignment_expression':
      return isFunction(field('right')) ? short(field('left')?.text) : null;
    case 'pair':
      return isFunction(field('value')) ? short(field('key')?.text) : null;
    default:
      return DEFINITIONS.has(node.type) ? nameOf(node) : null;
  }
}

function nameOf(node: Node): string | null {
  if (node.type.endsWith('_specifier') && !node.childForFieldName('body')) return null;
  if (node.type === 'type_declaration')
    return short(node.namedChildren[0]?.childForFieldName('name')?.text);
  const receiver = /\*?(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(
    node.childForFieldName('receiver')?.text ?? '',
  )?.[1];
  let name = node.childForFieldName('name') ?? node.childForFieldName('declarator');
  for (let inner = name; inner; inner = inner.childForFieldName('declarator')) name = inner;
  const title = short(name?.text);
  return receiver === undefined || title === null ? title : `${receiver}.${title}`;
}

const short = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : text.replace(/\s+/g, ' ').slice(0, 100);

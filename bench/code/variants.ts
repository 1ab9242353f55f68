/**
 * The ways to cut source code that the bench compares. A search of the bench uses this module in the place of
 * documents/split.ts (run.ts).
 */
import { createAtoms } from '../../packages/server/src/documents/split/atoms.ts';
import { code } from '../../packages/server/src/documents/split/code.ts';
import { createDefinitionPaths } from '../../packages/server/src/documents/split/definition-paths.ts';
import {
  type Definition,
  definitionsIn,
} from '../../packages/server/src/documents/split/definitions.ts';
import { programLanguageOf } from '../../packages/server/src/documents/split/languages.ts';
import {
  piecesOf,
  type Splittable,
  embeddedText as serviceText,
} from '../../packages/server/src/documents/split.ts';
import type { Piece } from '../../packages/server/src/model/chunk.ts';
import { codeWithCuts } from './cuts.ts';
import { grammarFor } from './grammars.ts';

/** The sync takes this from the same module. */
export const embeddedText: typeof serviceText = serviceText;

export interface Variant {
  readonly name: string;
  /** The figures are compared with those of this other variant. */
  readonly against: string | null;
  readonly definitionsOf: (document: Splittable) => readonly Definition[];
  /** If true, a text is also cut before the definitions, and not only named after them. */
  readonly cuts: boolean;
}

const byRules = ({ name, text }: Splittable): readonly Definition[] => {
  const language = programLanguageOf(name);
  return language === null ? [] : definitionsIn(text, language);
};
const byGrammar = ({ name, text }: Splittable): readonly Definition[] =>
  grammarFor(name)?.(text) ?? [];

export const VARIANTS: readonly Variant[] = [
  { name: 'without headings', against: null, definitionsOf: () => [], cuts: false },
  { name: 'rules', against: 'without headings', definitionsOf: byRules, cuts: false },
  { name: 'rules-cuts', against: 'rules', definitionsOf: byRules, cuts: true },
  { name: 'grammar', against: 'rules', definitionsOf: byGrammar, cuts: false },
  { name: 'grammar-cuts', against: 'rules', definitionsOf: byGrammar, cuts: true },
];

let used = VARIANTS[0]!;

export const use = (variant: Variant): void => {
  used = variant;
};

export function split(document: Splittable): Piece[] {
  const { text } = document;
  const definitions = used.definitionsOf(document);
  const atoms = createAtoms(text);
  if (used.cuts) codeWithCuts(text, definitions, atoms);
  else code(text, text.length, atoms);
  const parts = [{ start: 0, atoms: atoms.build() }];
  return piecesOf(document, { parts, path: createDefinitionPaths(definitions) });
}

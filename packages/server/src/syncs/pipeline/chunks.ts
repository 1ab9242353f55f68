/** Splits entities into chunks, and gives each chunk its words and its vector. */
import { embeddedText, split } from '../../documents/split.ts';
import type { Embedder } from '../../engines/ports.ts';
import type { Chunk } from '../../model/chunk.ts';
import type { Entity } from '../../model/entity.ts';
import { sha256 } from '../../model/hash.ts';
import { TERMS_VERSION } from '../../model/terms.ts';
import { hasTitle, indexTerms } from '../../model/title.ts';
import { quantize, type Vector } from '../../model/vector.ts';
import { must } from '../../util.ts';

/** Chunks are made from these parts of an entity. `row` is the id of its row. */
export interface ChunkInput {
  readonly row: string;
  readonly entity: Pick<Entity, 'name' | 'text' | 'isMarkdown' | 'pages' | 'places' | 'context'>;
}

/** These are further threads that make chunks (threads/chunk-threads.ts). */
export interface ChunkThreads {
  readonly count: number;
  /** Makes chunks as `makeChunks` does. */
  make(entities: readonly ChunkInput[], signal: AbortSignal): Promise<MadeChunks>;
}

/** The keys are the ids of rows. */
export type MadeChunks = ReadonlyMap<string, readonly Chunk[]>;

export interface MakeDeps {
  readonly embedder: Embedder;
  /** Finds the stored vectors of texts, by the hashes of the texts. Only texts without a stored vector are embedded. */
  readonly knownVectors?: (textHashes: readonly string[]) => Promise<ReadonlyMap<string, Vector>>;
  readonly signal: AbortSignal;
}

/** A vector depends on the text and on the model, so different models share no vectors. */
const textHash = (model: string, text: string): string =>
  sha256(`${model} ${TERMS_VERSION}\n${text}`);

/** Splits an entity into pieces, each with the text that is embedded for it. */
export const cut = (entity: ChunkInput['entity'], model: string) =>
  split(entity).map((bare, position) => {
    const heading = [entity.context ?? [], bare.heading ?? []].flat().join(' > ');
    const piece = entity.context === undefined ? bare : { ...bare, heading };
    const text = embeddedText(entity.name, piece);
    return { piece, position, text, textHash: textHash(model, text) };
  });

/** Returns the chunks of entities. Equal texts are embedded once. */
export async function makeChunks(
  entities: readonly ChunkInput[],
  { embedder, knownVectors, signal }: MakeDeps,
): Promise<MadeChunks> {
  const all = entities.map((one) => ({ ...one, pieces: cut(one.entity, embedder.model) }));
  const texts = new Map(all.flatMap(({ pieces }) => pieces.map((p) => [p.textHash, p.text])));
  const vectors = new Map<string, Vector>(await knownVectors?.([...texts.keys()]));
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  const made = await embedder.embed(
    missing.map(([, text]) => text),
    'document',
    signal,
  );
  missing.forEach(([hash], i) => {
    vectors.set(hash, quantize(must(made[i])));
  });
  return new Map(
    all.map(({ row, entity, pieces }) => {
      const isTitled = hasTitle(entity);
      const chunks = pieces.map(
        ({ piece, position, textHash }): Chunk => ({
          ...piece,
          entity: row,
          index: position,
          textHash,
          isTitled,
          terms: indexTerms({ name: entity.name, ...piece }, isTitled),
          vector: must(vectors.get(textHash)),
        }),
      );
      return [row, chunks];
    }),
  );
}

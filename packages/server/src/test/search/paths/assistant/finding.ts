/** Checks the two tools that search. */
import { hold } from '../../../random/violation.ts';
import { found } from '../finds.ts';
import type { Case } from '../play.ts';
import { toShown, withUnderstood } from '../standard.ts';
import { holdNoneMissing, type Shown } from '../witness.ts';
import type { Asking } from './ask.ts';
import type { AssistantDraw } from './draw.ts';

export async function playSearch(draw: AssistantDraw, at: Case, asking: Asking): Promise<void> {
  const { asker, witness, filter, isStill, library } = at;
  const { own, indexed, isForeign, call, holdSaid, holdFailure } = asking;
  const { options } = draw;
  const args = { query: at.query, ...options, ...(draw.filter && { filter: draw.filter }) };
  const said = await call(`search-${asker.collectionId}`, args);
  if (isForeign) return holdFailure(said, 404);
  hold(!said.isError, 'the tool server answers', () => said.text);
  const shown: Shown[] = said.data.results.map(toShown);
  const understood = said.data.interpreted_filter;
  // A model that lies may put any word into the filter.
  own.push(JSON.stringify(understood ?? null));
  witness.holdShown(shown, withUnderstood(filter, understood));
  witness.holdOrder(shown);
  holdSaid(
    said,
    shown.map(({ text }) => text),
  );
  witness.holdReading();
  if (!isStill || understood || options.limit < 1000 || options.offset > 0) return;
  const asked = { query: at.query, strategy: options.search_method };
  holdNoneMissing(shown, await found(library.embedder, asked, indexed));
}

/** Calls the tool `search`, which has the form that ChatGPT requires. */
export async function playBriefSearch(at: Case, asking: Asking): Promise<void> {
  const { isForeign, call, holdSaid, holdFailure, holdRecords } = asking;
  const said = await call('search', { query: at.query });
  if (isForeign) return holdFailure(said, 404);
  hold(!said.isError, 'the tool server answers', () => said.text);
  const results: { id: string; title: string }[] = said.data.results;
  holdRecords(
    results.map(({ id, title }) => ({ id: id.replace(/__chunk_\d+$/, ''), name: title })),
  );
  holdSaid(said, []);
}

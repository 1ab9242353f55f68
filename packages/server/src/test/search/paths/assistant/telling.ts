/** Checks what the tools say about the whole collection: its state, and the facts in their descriptions. */
import { must } from '../../../../util.ts';
import { hold } from '../../../random/violation.ts';
import type { State } from '../../../random/world.ts';
import type { Case } from '../play.ts';
import { type Asking, recordOf } from './ask.ts';

const RULE = 'a description contains only what may be seen';

export async function playConfig({ isForeign, call, holdSaid }: Asking): Promise<void> {
  const said = await call('get-config', {});
  hold(
    isForeign === /API error \(404\)/.test(said.data.status),
    'a tool refuses what may not be seen',
    () => said.data.status,
  );
  holdSaid(said, []);
}

export async function playDescriptions(at: Case, asking: Asking): Promise<void> {
  const { asker, witness, isStill } = at;
  const { mayIn, indexed, isForeign, send, holdSaid, sameKeys } = asking;
  const said = await send('tools/list', {});
  holdSaid(said, []);
  const [{ description }] = said.data.tools;
  if (isForeign) {
    hold(
      /contents could not be read: API error \(404\)/.test(description),
      RULE,
      () => description,
    );
    return;
  }
  const states = witness.states();
  const named = [...description.matchAll(/(?:(\d+) )?\b(Note|Page)\b/g)].map(([, count, type]) => ({
    type,
    count: count === undefined ? null : Number(count),
  }));
  const fields = [...description.matchAll(/metadata\.(\w+)/g)].map(([, field]) => must(field));
  const stored = (state: State) => mayIn(state).filter(({ connection }) => !connection.isLive);
  for (const { type, count } of named) {
    hold(
      states.some((state) => stored(state).some(({ doc }) => doc.type === type)),
      RULE,
      () => `${type}: ${description}`,
    );
    hold(
      asker.principals === null
        ? !isStill ||
            count === new Set(indexed.filter(({ doc }) => doc.type === type).map(recordOf)).size
        : count === null,
      RULE,
      () => `${count} ${type}`,
    );
  }
  const sources = [...(/ from ([\w, ]+)\. Filters/.exec(description)?.[1] ?? '').split(', ')];
  // Without principals, a caller may learn every source of the collection, even one without records.
  for (const source of sources.filter(Boolean))
    hold(
      asker.principals === null ||
        states.some((state) =>
          mayIn(state).some(({ connection }) => connection.shortName === source),
        ),
      RULE,
      () => `the source ${source}: ${description}`,
    );
  for (const field of fields)
    hold(
      states.some((state) => stored(state).some(({ doc }) => field in doc.fields)),
      RULE,
      () => `the field ${field}: ${description}`,
    );
  if (!isStill) return;
  sameKeys(
    named.map(({ type }) => must(type)),
    [...new Set(indexed.map(({ doc }) => doc.type))],
  );
}

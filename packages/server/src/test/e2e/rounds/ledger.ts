/**
 * A ledger knows what each document of one connection may show: its states since the last sync that has certainly
 * seen it. A state is the document's word, or null where the document does not exist.
 *
 * A mark is a moment. Everything that was done before a mark is visible to whatever begins to read after it. So when
 * a sync that was begun at a mark is completed, all states that had ended by then are impossible.
 */
import { hold } from '../../random/violation.ts';

interface State {
  readonly word: string | null;
  readonly begunAt: number;
  /** The state may or may not have come into effect before this mark. */
  doneAt: number;
}

/** Maps each document to the words of its shown chunks. */
export type Shown = ReadonlyMap<string, readonly string[]>;

export class Ledger {
  #now = 0;
  readonly #states = new Map<string, State[]>();
  /** No search may show these words any more. */
  readonly #gone = new Set<string>();

  mark(): number {
    return ++this.#now;
  }

  /** Gives these words to documents, or deletes documents (null), all together while `act` runs. */
  async change(words: ReadonlyMap<string, string | null>, act: () => Promise<void>): Promise<void> {
    const finish = this.begin(words);
    await act();
    finish();
  }

  /** Does the same in two steps: the returned function marks the change as done. */
  begin(words: ReadonlyMap<string, string | null>): () => void {
    const begunAt = this.mark();
    const begun = [...words].map(([id, word]) => {
      const state: State = { word, begunAt, doneAt: Infinity };
      this.#states.set(id, [...(this.#states.get(id) ?? [NOTHING]), state]);
      return state;
    });
    return () => {
      const doneAt = this.mark();
      for (const state of begun) state.doneAt = doneAt;
    };
  }

  confirm(mark: number): void {
    for (const [id, states] of this.#states) {
      const from = states.findLastIndex(({ doneAt }) => doneAt <= mark);
      if (from <= 0) continue;
      for (const { word } of states.slice(0, from)) if (word) this.#gone.add(word);
      const left = states.slice(from);
      for (const { word } of left) if (word) this.#gone.delete(word);
      this.#states.set(id, left);
    }
  }

  /** Returns the words of the documents that exist. */
  present(): Map<string, string> {
    return new Map(
      [...this.#states].flatMap(([id, states]) => {
        const word = states.at(-1)?.word;
        return word ? [[id, word] as const] : [];
      }),
    );
  }

  gone(): string[] {
    return [...this.#gone];
  }

  /** A search may miss a document that changes while it runs, but must not show a state that has ended. */
  check(shown: Shown, where: string): void {
    for (const [id, words] of shown) {
      const allowed = this.#states.get(id) ?? [NOTHING];
      for (const word of words)
        hold(
          allowed.some((state) => state.word === word),
          'a search shows what there is and nothing else',
          () => `${where} shows ${id} with ${word}, which may be ${texts(allowed)}`,
        );
    }
    for (const [id, states] of this.#states)
      if (states.length === 1 && states[0]?.word)
        hold(shown.has(id), 'nothing that was taken in is lost', () => `${where} misses ${id}`);
  }

  /** One statement has listed these ids. With `together`, a change is visible as a whole or not at all. */
  checkIds(ids: ReadonlySet<string>, together: boolean, where: string): void {
    for (const id of ids)
      hold(this.#states.has(id), 'a list shows what there is', () => `${where} lists ${id}`);
    for (const [id, states] of this.#states)
      hold(
        states.some(({ word }) => (word !== null) === ids.has(id)),
        'a list shows what there is',
        () => `${where}: ${id} is ${ids.has(id) ? '' : 'not '}there`,
      );
    if (!together) return;
    const moments = new Set([...this.#states.values()].flat().map(({ begunAt }) => begunAt));
    const isAs = (moment: number) =>
      [...this.#states].every(([id, states]) => {
        const last = states.findLast(({ begunAt }) => begunAt <= moment);
        return ((last ?? NOTHING).word !== null) === ids.has(id);
      });
    hold(
      moments.size === 0 || [...moments].some(isAs),
      'a push is seen whole or not at all',
      () => `${where} lists ${[...ids].join(' ')}`,
    );
  }
}

const NOTHING: State = { word: null, begunAt: 0, doneAt: 0 };

const texts = (states: readonly State[]) => states.map(({ word }) => word ?? 'absent').join(' or ');

/** Records which states existed while a request was served, and checks by them what the request has shown. */
import type { Filter } from '../../../model/filter.ts';
import { type Asker, allowed } from '../../random/oracle.ts';
import { hold } from '../../random/violation.ts';
import type { Piece, State } from '../../random/world.ts';
import type { World } from './world.ts';

export const SHOWS_WHAT_IT_MAY = 'an answer shows only what may be seen';

/** An answer shows these facts of a chunk. */
export interface Shown {
  readonly connectionId: string;
  /** The id belongs to the chunk. */
  readonly id: string;
  readonly text: string;
  readonly name: string;
  /** The time is in the form of ISO 8601. */
  readonly updatedAt: string | null;
  readonly score: number;
}

export interface Witness {
  /**
   * Must be called when a model for which the list of results waits has answered or failed. What was deleted before
   * must not be shown.
   */
  over(): void;
  /** Must be called when the live source of this connection has answered. */
  answered(connectionId: string): void;
  /** Must be called with each text that a model reads. */
  reads(text: string): void;
  /** The request began in this state. */
  readonly first: State;
  /** Returns the pieces of a state that may be shown. */
  allowedIn(state: State, filter: Filter): Piece[];
  /** Throws unless each shown chunk had this content and was visible to the asker at one and the same moment. */
  holdShown(shown: readonly Shown[], filter: Filter): void;
  /** Throws unless the scores lie in [0, 1] and never rise. */
  holdOrder(shown: readonly Shown[]): void;
  /** Throws when `said` quotes a chunk whose text is not among `texts`. */
  holdWords(said: string, texts: readonly string[], where: string): void;
  /** Throws when a model has read a text that the asker may not see. */
  holdReading(): void;
  /** Returns the states in which the request was served. */
  states(): readonly State[];
}

/** `filter` is the one that the caller has sent. */
export function watch(world: World, asker: Asker, filter: Filter): Witness {
  const start = world.states.length - 1;
  const now = () => world.states.length - 1;
  let since = start;
  const liveSince = new Map<string, number>();
  const read: { text: string; until: number }[] = [];
  const known = new Map<string, Piece[]>();

  function allowedIn(state: State, by: Filter): Piece[] {
    const key = `${world.states.indexOf(state)} ${JSON.stringify(by)}`;
    const pieces = known.get(key) ?? allowed(state, asker, by);
    known.set(key, pieces);
    return pieces;
  }

  const isShownBy = (shown: Shown) => (piece: Piece) =>
    piece.connection.id === shown.connectionId &&
    piece.id === shown.id &&
    piece.text === shown.text &&
    piece.doc.name === shown.name &&
    (piece.doc.updatedAt?.toISOString() ?? null) === shown.updatedAt;

  function holdOne(shown: Shown, by: Filter): void {
    const isLive = world.states[start]?.get(shown.connectionId)?.isLive ?? false;
    const from = isLive ? start : since;
    const states = world.states.slice(from);
    const isThere = states.some((state) => allowedIn(state, by).some(isShownBy(shown)));
    hold(isThere, SHOWS_WHAT_IT_MAY, () => JSON.stringify(shown));
    if (!isLive) return;
    const last = Math.max(since, liveSince.get(shown.connectionId) ?? start);
    const isAlive = world.states
      .slice(last)
      .some((state) => state.get(shown.connectionId)?.isDeleted === false);
    hold(isAlive, 'nothing of a deleted connection is shown', () => JSON.stringify(shown));
  }

  return {
    first: world.states[start] as State,
    over: () => {
      since = now();
    },
    answered: (connectionId) => liveSince.set(connectionId, now()),
    reads: (text) => read.push({ text, until: now() }),
    states: () => world.states.slice(start),
    allowedIn,
    holdShown: (shown, by) => {
      for (const one of shown) holdOne(one, by);
    },
    holdOrder: (shown) => {
      hold(
        shown.every(({ score }) => score >= 0 && score <= 1),
        'scores lie between 0 and 1',
        () => `${shown.map(({ score }) => score)}`,
      );
      hold(
        shown.every(({ score }, i) => i === 0 || score <= (shown[i - 1]?.score ?? 1)),
        'scores fall',
        () => `${shown.map(({ score }) => score)}`,
      );
    },
    holdWords(said, texts, where) {
      const there = new Set(texts.flatMap(markersIn));
      const others = markersIn(said).filter((marker) => !there.has(marker));
      hold(
        others.length === 0,
        'an answer quotes only what it shows',
        () => `${where} says ${others}: ${said}`,
      );
    },
    holdReading() {
      for (const { text, until } of read) {
        const may = world.states
          .slice(start, until + 1)
          .flatMap((state) => allowedIn(state, filter));
        const there = new Set(may.flatMap((piece) => markersIn(piece.text)));
        const others = markersIn(text).filter((marker) => !there.has(marker));
        hold(others.length === 0, 'a model reads only what may be seen', () => `${others}`);
      }
    },
  };
}

/** Throws when one of the pieces is not shown. */
export function holdNoneMissing(
  shown: readonly Pick<Shown, 'connectionId' | 'id'>[],
  pieces: readonly Piece[],
): void {
  for (const { connection, id } of pieces)
    hold(
      shown.some((one) => one.connectionId === connection.id && one.id === id),
      'nothing that matches is missing',
      () => `${connection.shortName} ${id}`,
    );
}

const MARKER = /mk\d+x/g;
export const markersIn = (text: string): string[] => text.match(MARKER) ?? [];

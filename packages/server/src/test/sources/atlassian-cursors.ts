/** Keeps the places after which the next pages of listings begin, by their cursors. */
import { createHash } from 'node:crypto';

export type AtlassianCursors<Place> = ReturnType<typeof makeCursors<Place>>;

/** A place of a listing has the same cursor each time, so that a request that is repeated is the same request. */
export function makeCursors<Place>() {
  const places = new Map<string, Place>();
  let generation = 0;
  return {
    cursorOf(place: Place): string {
      const text = JSON.stringify([generation, place]);
      const cursor = createHash('sha256').update(text).digest('hex').slice(0, 24);
      places.set(cursor, place);
      return cursor;
    },
    placeAt: (cursor: string): Place | undefined => places.get(cursor),
    forget(): void {
      places.clear();
      generation++;
    },
  };
}

/**
 * Knows the places of a workspace and the names of people, so that each is asked for once in a pull. What a listing
 * shows is known from there.
 *
 * A search lists the latest changes first. So a page that was renamed or moved comes before all records below it that
 * have not changed, and the memory of earlier pulls is right for the others.
 */
import { SourceError } from '../../errors.ts';
import type { Breadcrumb } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import {
  Database,
  DataSource,
  type FoundRecord,
  NotionBlock,
  NotionPage,
  type Parent,
  Person,
} from './answer.ts';
import { find, pathOf } from './api.ts';
import type { KnownPlace } from './memory.ts';
import { titleOf } from './properties.ts';
import { plain } from './rich-text.ts';

const MAX_ANCESTORS = 50;

export interface Directory {
  note(found: FoundRecord): void;
  /** A page lies in this block of another page. The id of the block is all that the page itself says of its place. */
  noteBlock(block: string, page: string): void;
  /** Returns the ancestors from the root to the parent, as far as they are shared with the integration. */
  above(parent: Parent | null): Promise<Breadcrumb[]>;
  /** Returns the title of a page or a database, or null when it is not shared with the integration. */
  title(asked: Parent): Promise<string | null>;
  /** Returns the e-mail address or the name; '' when the integration may know neither. */
  label(person: Person): Promise<string>;
}

/** `places` has what is known of earlier pulls. All places above records are added to `used`. */
export function openDirectory(
  http: Http,
  places: ReadonlyMap<string, KnownPlace>,
  used: Map<string, KnownPlace>,
): Directory {
  const met = new Map<string, KnownPlace | null | Promise<KnownPlace | null>>(places);
  const people = new Map<string, Promise<string>>();
  let mayReadPeople = true;

  async function placeOf(asked: Parent): Promise<KnownPlace | null> {
    const known = met.get(asked.id);
    if (known !== undefined) return known;
    const place = ask(http, asked);
    met.set(asked.id, place);
    return place;
  }

  async function askName(id: string): Promise<string> {
    try {
      const person = mayReadPeople ? await find(http, pathOf('users', id), Person) : null;
      return person ? nameOf(person) : '';
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
      mayReadPeople = false;
      return '';
    }
  }

  return {
    note(found) {
      met.set(found.id, placeOfFound(found));
    },
    noteBlock(block, page) {
      met.set(block, { kind: 'block', title: '', parent: { kind: 'page', id: page } });
    },
    async above(parent) {
      const crumbs: Breadcrumb[] = [];
      const path = new Set<string>();
      let next = parent;
      while (next && !path.has(next.id) && path.size < MAX_ANCESTORS) {
        const { id } = next;
        path.add(id);
        const place = await placeOf(next);
        if (!place) break;
        used.set(id, place);
        const type = place.kind === 'page' ? 'NotionPage' : 'NotionDatabase';
        if (place.kind !== 'block') crumbs.unshift({ id, name: place.title, type });
        next = place.parent;
      }
      return crumbs;
    },
    title: async (asked) => (await placeOf(asked))?.title ?? null,
    async label(person) {
      const own = nameOf(person);
      if (own !== '' || person.id === '') return own;
      let asked = people.get(person.id);
      if (!asked) {
        asked = askName(person.id);
        people.set(person.id, asked);
      }
      return asked;
    },
  };
}

const nameOf = ({ name, person }: Person): string => person?.email || name;

const placeOfFound = (found: FoundRecord): KnownPlace => ({
  kind: found.object,
  title: titleOf(found),
  parent: parentOf(found),
});

/** A data source is shown below the parent of its database, since most databases have one, of the same name. */
export const parentOf = (found: FoundRecord): Parent | null =>
  found.object === 'page' ? found.parent : (found.database_parent ?? found.parent);

/** A place that may not be read ends the path of its records. */
async function ask(http: Http, { kind, id }: Parent): Promise<KnownPlace | null> {
  try {
    if (kind === 'block') {
      const block = await find(http, pathOf('blocks', id), NotionBlock);
      return block && { kind, title: '', parent: block.parent };
    }
    if (kind === 'database') {
      const database = await find(http, pathOf('databases', id), Database);
      return (
        database && { kind, title: plain(database.title) || 'Untitled', parent: database.parent }
      );
    }
    const found =
      kind === 'page'
        ? await find(http, pathOf('pages', id), NotionPage)
        : await find(http, pathOf('data_sources', id), DataSource);
    return found && placeOfFound(found);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return null;
    throw error;
  }
}

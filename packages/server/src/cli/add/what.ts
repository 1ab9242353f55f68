/** Recognizes what a person wants to add: a folder, a database, a website, a repository, or an app by its name. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import type { ConnectFlags } from '../connect/given.ts';

export interface Recognized {
  readonly shortName: string;
  /** It is undefined for an app, whose name the source gives. */
  readonly name?: string;
  readonly given?: NonNullable<ConnectFlags['given']>;
}

const DATABASES: Readonly<Record<string, string>> = {
  'postgres:': 'postgresql',
  'postgresql:': 'postgresql',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

/** Throws an Error with a message for users for a path that is not a folder. */
export function recognize(text: string): Recognized {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (url && DATABASES[url.protocol] !== undefined)
    return {
      shortName: DATABASES[url.protocol] ?? '',
      name: decodeURIComponent(url.pathname.slice(1)) || url.hostname,
      given: { credentials: { url: text } },
    };
  if (isRepository(text))
    return { shortName: 'git', name: basename(text, '.git'), given: { config: { url: text } } };
  if (url && /^https?:$/.test(url.protocol))
    return { shortName: 'web', name: url.hostname, given: { config: { start_urls: [text] } } };
  if (url)
    throw new Error(
      `${url.protocol}// is not known: give a folder, postgres://…, mysql://…, https://…, a repository that ends with .git, or the name of an app ('quarry list sources')`,
    );
  return folderOf(text) ?? { shortName: text.toLowerCase().replaceAll(' ', '_') };
}

const isRepository = (text: string) =>
  /^(ssh|git|https?|file):\/\/.+\.git\/?$/.test(text) || /^[\w.-]+@[\w.-]+:.+/.test(text);

/** Returns undefined when the text is neither an existing path nor written like one. */
function folderOf(text: string): Recognized | undefined {
  const path = resolve(text.replace(/^~(?=$|[\\/])/, homedir()));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return { shortName: 'files', name: basename(path) || path, given: { config: { path } } };
  if (found) throw new Error(`${path} is a file: add the folder that it is in`);
  if (/[\\/]|^[.~]/.test(text)) throw new Error(`the folder ${path} does not exist`);
  return undefined;
}

/**
 * The browser could not load a file of the dashboard. It is not a reason to load the page again at once: a file is also
 * asked for before somebody needs it, and a page has what was typed into it.
 */
export class FileNotLoaded extends Error {
  constructor(cause: unknown) {
    super('A file of this page could not be loaded.', { cause });
  }
}

/** Returns the loader of a file that throws `FileNotLoaded` where the browser throws an error of its own. */
export const pageFile =
  <Module>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch((cause: unknown) => {
      throw new FileNotLoaded(cause);
    });

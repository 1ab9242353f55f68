/** The options with which a program opens Quarry. This file has types only, which the package shows as they are. */

export interface EmbeddedOptions {
  /** The folder of the data, which is made when it does not exist; `.quarry` in the current folder when omitted. */
  readonly dataDir?: string;
  /** PostgreSQL 15 or newer, as postgres://user:password@host/database. When omitted, SQLite in `dataDir` is used. */
  readonly databaseUrl?: string;
  /**
   * The key with which the methods call Quarry. When omitted, it is kept in `dataDir`; with `databaseUrl` it is needed. The
   * first opening stores a new one, which is `quarry_` and 43 characters of A-Z a-z 0-9 - _.
   */
  readonly apiKey?: string;
  /** The key that encrypts credentials, of at least 32 characters. When omitted, it is kept in `dataDir`. */
  readonly encryptionKey?: string;
  /** If false, another process does the syncs and pushes, which needs `databaseUrl`. True when omitted. */
  readonly worker?: boolean;
  /** If true, syncs and searches run in threads of their own. When omitted, they run in the thread of the caller. */
  readonly threads?: boolean;
  /** Every other setting, by its name in docs and in `quarry config`, such as QUARRY_LLM. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Gets what Quarry has to say, such as `console` or the logger pino. When omitted, nothing is logged. */
  readonly log?: EmbeddedLog;
  /** The least severe level of what `log` gets; `info` when omitted. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Is called when Quarry cannot go on. Every later call is refused with the same error. */
  readonly onFatal?: (error: Error) => void;
}

/** The methods are those of pino, and `console` has them too. */
export interface EmbeddedLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

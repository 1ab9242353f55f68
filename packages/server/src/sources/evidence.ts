/**
 * Each source says how it was proven, and people read it in the table of docs/sources/. The classes are in the order of
 * their strength; a source may have several.
 */
export const EVIDENCE_CLASSES = {
  A: 'a real server',
  B: 'a maintained emulator of the service',
  C: "a fake of the service, whose requests and answers are all checked by the vendor's own machine-readable document",
  D: "the vendor's own client, or a maintained one, which passes the same tests",
  E: "the vendor's pages only: not independently checked",
} as const;

export interface SourceEvidence {
  readonly class: keyof typeof EVIDENCE_CLASSES;
  /** Names the server, the emulator, the document, the client or the pages. */
  readonly by: string;
  /** The version of the server, emulator or client, or the date of the document. */
  readonly asOf: string;
}

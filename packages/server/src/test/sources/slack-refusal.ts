/** A refusal of Slack has the status 200 and says why in its body. */
import type { SlackRow } from './slack-records.ts';
import type { SlackSettings } from './slack-settings.ts';

export class SlackRefusal extends Error {
  readonly body: SlackRow;
  constructor(error: string, more: SlackRow = {}) {
    super(error);
    this.body = { ok: false, error, ...more };
  }
}
export const refuse = (error: string, more?: SlackRow): never => {
  throw new SlackRefusal(error, more);
};
/** Refuses what needs a scope that the app does not have. */
export function needScopes({ scopes }: SlackSettings, ...all: readonly string[]): void {
  const needed = all.find((scope) => !scopes.has(scope));
  if (needed) refuse('missing_scope', { needed, provided: [...scopes].join(',') });
}

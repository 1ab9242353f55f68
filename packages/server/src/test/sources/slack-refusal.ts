/** A refusal of Slack has the status 200 and says why in its body. */
import type { SlackRow } from './slack-world.ts';

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

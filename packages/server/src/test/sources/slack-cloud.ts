/** Says which records the source makes of the company in Slack. */
import type { Resync } from './resync.ts';
import { openSlackCompany } from './slack-company.ts';
import type { SlackRecord } from './slack-words.ts';

/** The company has so many threads at first. */
const THREADS = 3;

export async function openSlackCloud() {
  const company = await openSlackCompany({ recordId });
  const resync: Resync = {
    widen() {
      company.settings.largestPage = 1000;
    },
    full: { perGrowth: 1, why: 'Slack lists the replies of each thread' },
    incremental: {
      most: () => 5 + company.world.channels.size + THREADS,
      perGrowth: 1,
      why: 'Slack tells no edits, so the last week of each channel is listed, with its threads',
    },
    grow: () =>
      company.inPast(() => {
        const message = company.share(company.general, 'grown.md');
        for (let i = 0; i < 2; i++) company.answerIn(company.general, message);
      }),
  };
  return { ...company, resync };
}

/** A file may be shared by several messages, so its id begins with that of its message. */
function recordId({ kind, channelKind, channelId, ts, fileId }: SlackRecord): string | null {
  if (kind === 'system' || channelKind === 'im' || channelKind === 'mpim') return null;
  return [channelId, ts, fileId].filter((one) => one !== null).join('/');
}

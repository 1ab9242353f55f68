/** Says which records the source makes of the company in Slack. */
import { openSlackCompany, type SlackRecord } from './slack-company.ts';

export const openSlackCloud = () => openSlackCompany({ recordId });

/** A file may be shared by several messages, so its id begins with that of its message. */
function recordId({ kind, channelKind, channelId, ts, fileId }: SlackRecord): string | null {
  if (kind === 'system' || channelKind === 'im' || channelKind === 'mpim') return null;
  return [channelId, ts, fileId].filter((one) => one !== null).join('/');
}

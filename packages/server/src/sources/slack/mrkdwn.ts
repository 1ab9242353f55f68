/**
 * Turns Slack's mrkdwn into Markdown (https://docs.slack.dev/messaging/formatting-message-text): marks, lists, links, and
 * mentions by name. Names of people, channels and groups are only ids in mrkdwn.
 */

/** Each function returns '' for an id that is not known. */
export interface SlackNames {
  user(id: string): string;
  channel(id: string): string;
  group(id: string): string;
}

/** Code and links are put aside while marks are changed; these characters of the private use area hold their places. */
const [OPEN, CLOSE] = ['\ue000', '\ue001'];
const PLACES = /[\ue000\ue001]/g;
const PLACE = /\ue000(\d+)\ue001/g;
const BLOCK = /```([\s\S]*?)```/g;
const CODE = /`([^`\n]+)`/g;
const REFERENCE = /<([^<>\n]+)>/g;
/** A mark stands between a space or a punctuation mark and the text that it marks. */
const BOLD = /(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const STRIKE = /(?<![\p{L}\p{N}~])~(?=\S)([^~\n]+)(?<=\S)~(?![\p{L}\p{N}~])/gu;
const BULLET = /^([ \t]*)[•◦▪‣](?:\ufe0e)?[ \t]*/gmu;
const HEADING = /^([ \t]*)(#{1,6}(?:[ \t]|$))/gm;

export function toMarkdown(mrkdwn: string, names: SlackNames): string {
  const kept: string[] = [];
  const keep = (text: string): string => `${OPEN}${kept.push(text) - 1}${CLOSE}`;
  const marked = mrkdwn
    .replaceAll(PLACES, '')
    .replaceAll(BLOCK, (_, code: string) => {
      const lines = plainOf(code, names).replace(/^\n/, '').replace(/\n$/, '');
      return `\n${keep(`\`\`\`\n${lines}\n\`\`\``)}\n`;
    })
    .replaceAll(CODE, (_, code: string) => keep(`\`${plainOf(code, names)}\``))
    .replaceAll(REFERENCE, (_, reference: string) => keep(referenceOf(reference, names)))
    .replaceAll(BOLD, '**$1**')
    .replaceAll(STRIKE, '~~$1~~');
  return unescaped(marked)
    .replaceAll(BULLET, '$1- ')
    .replaceAll(HEADING, '$1\\$2')
    .replaceAll(PLACE, (_, place: string) => kept[Number(place)] ?? '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Code has no marks, but Slack turns addresses and mentions in it into references. */
const plainOf = (code: string, names: SlackNames): string =>
  unescaped(
    code.replaceAll(REFERENCE, (_, reference: string) => {
      const [target = '', label] = reference.split('|');
      return /^[@#!]/.test(target) ? referenceOf(reference, names) : (label ?? target);
    }),
  );

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function referenceOf(reference: string, names: SlackNames): string {
  const bar = reference.indexOf('|');
  const target = bar < 0 ? reference : reference.slice(0, bar);
  const label = bar < 0 ? '' : unescaped(reference.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('@')) return `@${names.user(id) || label || id}`;
  if (target.startsWith('#')) return `#${names.channel(id) || label || id}`;
  if (target.startsWith('!')) return special(id, label, names);
  return linkOf(unescaped(target), label);
}

function special(command: string, label: string, names: SlackNames): string {
  const [kind = '', id = ''] = command.split('^');
  if (kind === 'subteam') return `@${names.group(id) || label.replace(/^@/, '') || id}`;
  return kind === 'date' ? label : `@${kind}`;
}

function linkOf(address: string, label: string): string {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return label || address;
  const shown = label.trim().replaceAll(/[[\]]/g, '\\$&').replaceAll(/\s+/g, ' ');
  if (shown === '' || label === address || `mailto:${label}` === address)
    return address.replace(/^mailto:/, '');
  return `[${shown}](${url.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

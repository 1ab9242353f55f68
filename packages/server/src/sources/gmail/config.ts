/** These are the settings of a connection, and the rules that follow from them for the labels of one mailbox. */
import { z } from 'zod';
import type { AnsweredMessage } from './answer.ts';

const LABEL = z.string().min(1).max(300);
const CATEGORIES = ['social', 'promotions', 'updates', 'forums', 'primary'] as const;

export const GmailConfig = z.strictObject({
  after_date: z
    .string()
    .regex(/^\d{4}[-/]\d{2}[-/]\d{2}$/, 'is not a day such as 2025-01-31')
    .refine((day) => !Number.isNaN(startOf(day)), 'is not a day of the calendar')
    .optional()
    .meta({
      title: 'After',
      description:
        'Only messages that arrived on this day (UTC) or later are read, such as 2025-01-31.',
    }),
  included_labels: z.array(LABEL).max(100).default([]).meta({
    title: 'Included labels',
    description:
      'Names or ids of labels. Only messages with one of them are read. Without any, all messages are read.',
    options: true,
  }),
  excluded_labels: z.array(LABEL).max(100).default(['spam', 'trash', 'draft']).meta({
    title: 'Excluded labels',
    description: 'Names or ids of labels. Messages with one of them are not read.',
    options: true,
  }),
  excluded_categories: z.array(z.enum(CATEGORIES)).default([]).meta({
    title: 'Excluded categories',
    description: 'Messages that Gmail has put into one of these categories are not read.',
  }),
  gmail_query: z.string().min(1).max(1000).optional().meta({
    title: 'Query',
    description:
      'Only messages that a search in Gmail for this finds are read, such as from:ann@example.org. Each sync then lists all of them.',
  }),
  users: z.array(z.email()).min(1).max(1000).optional().meta({
    title: 'People',
    description:
      'E-mail addresses of the people whose mailboxes are read. Only a service account can do it. Without it, the mailbox of the account is read.',
  }),
  all_users: z.boolean().default(false).meta({
    title: 'All people',
    description:
      'Reads the mailboxes of all people of the organization. Only a service account that acts for an administrator can do it.',
  }),
});
export type GmailConfig = z.output<typeof GmailConfig>;

function startOf(day: string): number {
  const iso = day.replaceAll('/', '-');
  const time = Date.parse(`${iso}T00:00:00Z`);
  // A day such as February 30 would be taken for another one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? time : Number.NaN;
}

/** Maps the ids of labels to their names. */
export type LabelNames = Readonly<Record<string, string>>;

/** These rules say which messages of a mailbox are read. */
export interface MailboxRules {
  /** Ids of labels; null stands for all messages. */
  readonly included: readonly string[] | null;
  readonly excluded: readonly string[];
  readonly after: number | null;
  readonly query: string | null;
  /** These labels of the configuration do not exist in the mailbox. */
  readonly unknown: readonly string[];
}

const SYSTEM = new Set([
  ...['INBOX', 'SENT', 'DRAFT', 'SPAM', 'TRASH', 'STARRED', 'IMPORTANT', 'UNREAD', 'CHAT'],
  ...CATEGORIES.map((name) => categoryId(name)),
]);

function categoryId(name: (typeof CATEGORIES)[number]): string {
  return name === 'primary' ? 'CATEGORY_PERSONAL' : `CATEGORY_${name.toUpperCase()}`;
}

export function rulesOf(config: GmailConfig, names: LabelNames): MailboxRules {
  const unknown: string[] = [];
  const idsOf = (labels: readonly string[]) =>
    labels.flatMap((label) => {
      const id = labelId(label, names);
      if (id === undefined) unknown.push(label);
      return id ?? [];
    });
  const included = idsOf(config.included_labels);
  return {
    included: config.included_labels.length > 0 ? included : null,
    excluded: [
      ...idsOf(config.excluded_labels),
      ...config.excluded_categories.map((name) => categoryId(name)),
    ],
    after: config.after_date === undefined ? null : startOf(config.after_date),
    query: config.gmail_query ?? null,
    unknown,
  };
}

/** A name is found in any case, as Gmail finds it. */
function labelId(label: string, names: LabelNames): string | undefined {
  if (Object.hasOwn(names, label)) return label;
  const wanted = label.toLowerCase();
  const [id] = Object.entries(names).find(([, name]) => name.toLowerCase() === wanted) ?? [];
  const system = label.toUpperCase().replace(/^DRAFTS$/, 'DRAFT');
  return id ?? (SYSTEM.has(system) ? system : undefined);
}

/** Spam and trash are listed only when one of them is wanted. */
export const withSpamAndTrash = ({ excluded }: MailboxRules): boolean =>
  !(excluded.includes('SPAM') && excluded.includes('TRASH'));

export function isWanted(
  { labelIds, internalDate }: AnsweredMessage,
  rules: MailboxRules,
): boolean {
  const { included, excluded, after } = rules;
  return (
    (after === null || internalDate >= after) &&
    (included === null || included.some((id) => labelIds.includes(id))) &&
    !excluded.some((id) => labelIds.includes(id))
  );
}

/** When only this label changes, a message is not read again, unless the configuration names the label. */
const UNSHOWN = 'UNREAD';

export const isShown = (labelId: string): boolean => labelId !== UNSHOWN;

export const concerns = (labelId: string, { included, excluded }: MailboxRules): boolean =>
  isShown(labelId) || excluded.includes(labelId) || included?.includes(labelId) === true;

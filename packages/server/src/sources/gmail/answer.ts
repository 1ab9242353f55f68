/** These are the parts of Gmail's answers that are read (https://developers.google.com/workspace/gmail/api/reference/rest). */
import { z } from 'zod';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
/** A number may come as a text, and the other way around. */
const numeric = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) =>
    value === null || value === undefined || value === '' ? 0 : Number(value),
  );
const list = <Item>(item: z.ZodType<Item>) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);

/** Gmail leaves the token out on the last page. */
const Page = z.object({
  nextPageToken: z
    .string()
    .nullish()
    .transform((token) => token || undefined),
});

export const Profile = z.object({ emailAddress: z.string(), historyId: z.string() });

/** A page without messages has no list. */
export const MessagePage = Page.extend({ messages: list(z.object({ id: z.string() })) });

/** Names are kept in the cursor, and a database does not store half of a character. */
const Label = z.object({ id: z.string(), name: text.transform((name) => name.toWellFormed()) });
export const Labels = z.object({ labels: list(Label) });

const Touched = z.object({ message: z.object({ id: z.string() }) });
const Relabelled = Touched.extend({ labelIds: list(z.string()) });

export const HistoryRecord = z.object({
  id: z.string(),
  messagesAdded: list(Touched),
  messagesDeleted: list(Touched),
  labelsAdded: list(Relabelled),
  labelsRemoved: list(Relabelled),
});
export type HistoryRecord = z.output<typeof HistoryRecord>;

export const HistoryPage = Page.extend({ history: list(HistoryRecord), historyId: z.string() });

export const AttachmentBody = z.object({ data: text });

/** The payload of a message is a part with parts in it. */
export interface MessagePart {
  readonly partId: string;
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: {
    /** It is another one in each answer. Without it, the whole content is in `data`. */
    readonly attachmentId: string;
    readonly size: number;
    /** The content in Base64 (RFC 4648, section 5), without the encoding that it had for the transfer. */
    readonly data: string;
  };
  readonly parts: readonly MessagePart[];
}

export const NO_BODY = { attachmentId: '', size: 0, data: '' };
const Body = z.object({
  attachmentId: text,
  size: numeric,
  data: text,
});

const Part: z.ZodType<MessagePart> = z.lazy(() =>
  z.object({
    partId: text,
    mimeType: text,
    filename: text,
    headers: list(z.object({ name: text, value: text })),
    body: Body.nullish().transform((body) => body ?? NO_BODY),
    parts: list(Part),
  }),
);

export const Message = z.object({
  id: z.string(),
  threadId: text,
  labelIds: list(z.string()),
  /** The time at which Gmail got the message, in milliseconds since 1970. */
  internalDate: numeric,
  payload: Part.optional(),
});
export type AnsweredMessage = z.output<typeof Message>;

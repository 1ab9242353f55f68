/** These are the wire shapes of the audit log. */
import { z } from 'zod';
import { Page } from '../http/lists.ts';
import { AUDIT_ACTIONS } from '../model/audit.ts';

export const AuditQuery = Page.extend({
  action: z.enum(AUDIT_ACTIONS).optional(),
  actor: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Id or e-mail of an account, or id of an API key. An e-mail also finds acts by its keys.',
    ),
  since: z.iso.datetime({ offset: true }).optional().describe('Only acts at this time or later.'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditEvent = z
  .object({
    id: z.uuid(),
    action: z.enum(AUDIT_ACTIONS),
    actor: z.object({
      type: z
        .enum(['user', 'api_key', 'operator'])
        .describe('An operator used the command line on the machine of the data.'),
      id: z.string().nullable(),
      name: z.string().nullable(),
      email: z.string().nullable().describe('E-mail of the account, or of the maker of the key.'),
    }),
    target: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
    address: z.string().nullable().describe('The request came from this address of the network.'),
    details: z
      .record(z.string(), z.unknown())
      .describe(
        'What was set, such as a role, or the names of the changed fields; never a secret.',
      ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof AuditEvent>;

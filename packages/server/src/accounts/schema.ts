/** These are the wire shapes of members, sign-ins and sessions. */
import { z } from 'zod';
import { characters } from '../http/text.ts';
import { ROLES } from '../model/role.ts';
import { MAIL_FAULTS } from '../net/smtp.ts';

const Role = z.enum(ROLES);
const LinkToken = z.string().min(1).max(200).describe('The token is in the link, behind #token=.');
/** The limit of RFC 5321 for an address is 254 characters. */
const MOST_OF_EMAIL = 254;
const NewEmail = z
  .email()
  .max(MOST_OF_EMAIL)
  .toLowerCase()
  .describe('Upper and lower case do not matter.');
/** The issuer writes the e-mail of a person in its own way. */
export const VouchedEmail = NewEmail;
const NewPassword = characters(8, 256).describe('It has 8 to 256 characters of any kind.');
/** A given password is compared and not judged, so that rules for new passwords exclude nobody. */
const GivenPassword = z.string().max(1024);

export const NewMember = z.strictObject({ email: NewEmail, role: Role }).meta({ id: 'NewMember' });
export type NewMember = z.infer<typeof NewMember>;

export const MemberPatch = z.strictObject({ role: Role }).meta({ id: 'MemberPatch' });

export const Member = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role: Role,
    status: z.enum(['active', 'invited']).describe('Somebody invited has not accepted yet.'),
    created_at: z.iso.datetime().describe('The person joined, or was invited, at this time.'),
    expires_at: z.iso.datetime().nullable().describe('An invitation ends at this time.'),
    invited_by: z
      .object({ id: z.uuid(), name: z.string().nullable(), email: z.string() })
      .nullable()
      .describe(
        'This admin made the invitation. It is null for members, and where the invitation is older than this field.',
      ),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

const InvitationMail = z
  .object({
    status: z
      .enum(['sent', 'failed', 'off'])
      .describe('sent: the mail server has taken the mail; off: no mail server is set.'),
    code: z
      .enum([...MAIL_FAULTS, 'limited'])
      .nullable()
      .describe(
        'Says why the mail was not sent; limited: within an hour the address was invited more than 5 times, or the organization has invited more than 100 times.',
      ),
    detail: z
      .string()
      .nullable()
      .describe('Says in a sentence why the mail was not sent, and what to do.'),
  })
  .meta({ id: 'InvitationMail' });
export type InvitationMail = z.infer<typeof InvitationMail>;

export const Invitation = Member.extend({
  invitation_url: z.url().describe('The link works once; it is shown only now.'),
  mail: InvitationMail.describe('Says whether the link was mailed to the person.'),
}).meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const PasswordSignIn = z
  .strictObject({
    email: z
      .string()
      .max(MOST_OF_EMAIL)
      .toLowerCase()
      .describe('The owner of a fresh installation is owner@localhost.'),
    password: GivenPassword,
  })
  .meta({ id: 'PasswordSignIn' });
export type PasswordSignIn = z.infer<typeof PasswordSignIn>;

export const SignInMethods = z
  .object({
    password: z.literal(true),
    issuer: z
      .object({
        name: z.string().describe('Host of the issuer.'),
        url: z.url().describe('A browser opens this to sign in through the issuer.'),
      })
      .nullable()
      .describe('It is null when nobody signs in through an issuer.'),
  })
  .meta({ id: 'SignInMethods' });

export const StartToken = z.strictObject({ token: LinkToken }).meta({ id: 'StartToken' });

export const InvitationToken = z.strictObject({ token: LinkToken }).meta({ id: 'InvitationToken' });

export const InvitationTerms = z
  .object({
    organization: z.string().describe('Name of the organization.'),
    email: z.string().describe('The invitation is for this address.'),
    role: Role,
    expires_at: z.iso.datetime(),
    invited_by: z
      .object({
        name: z.string().nullable(),
        email: z
          .string()
          .nullable()
          .describe(
            'It is null for the owner of a fresh installation, whose address is no e-mail.',
          ),
      })
      .nullable()
      .describe('This admin made the invitation. It is null where that is not known.'),
  })
  .meta({ id: 'InvitationTerms' });
export type InvitationTerms = z.infer<typeof InvitationTerms>;

export const Acceptance = z
  .strictObject({
    token: LinkToken,
    password: NewPassword.describe(
      'Somebody who already has an account gives the password of the account.',
    ),
    name: characters(1, 100).optional(),
  })
  .meta({ id: 'Acceptance' });
export type Acceptance = z.infer<typeof Acceptance>;

export const PasswordChange = z
  .strictObject({
    current_password: GivenPassword.optional().describe(
      'It is needed when the account has a password.',
    ),
    new_password: NewPassword,
  })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

const Joined = z.object({ id: z.uuid(), name: z.string(), role: Role });

export const Me = z
  .object({
    user: z.object({
      id: z.uuid(),
      email: z.string(),
      name: z.string().nullable(),
      has_password: z.boolean(),
    }),
    organization: z
      .object({ id: z.uuid(), name: z.string() })
      .describe('Requests act in this organization; X-Organization-ID chooses another one.'),
    role: Role,
    organizations: z.array(Joined).describe('The account is a member of these, the oldest first.'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

export const Session = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    expires_at: z.iso
      .datetime()
      .describe('It ends then, or earlier when it has not been used for 12 hours.'),
    address: z.string().describe('The person signed in from this address of the network.'),
    user_agent: z.string().nullable(),
    current: z.boolean().describe('The request came with this session.'),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

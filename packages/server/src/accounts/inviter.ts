/** Says who made an invitation to people who are not in the organization yet. */
import { OWNER } from '../organizations/bootstrap.ts';

export interface InviterNames {
  readonly name: string | null;
  /** It is null for the account of a fresh installation, whose address means nothing to other people. */
  readonly email: string | null;
}

export const inviterNames = ({ name, email }: InviterNames): InviterNames => ({
  name,
  email: email === OWNER ? null : email,
});

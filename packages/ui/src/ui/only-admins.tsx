import { Banner } from './banner.tsx';

/** Takes the place of a page that only an admin may open. */
export const OnlyAdmins = () => (
  <Banner tone="info" title="Only an admin can open this page">
    Ask an admin of the organization.
  </Banner>
);

/** Takes the place of a page that somebody who only reads may not open. */
export const OnlyMembers = () => (
  <Banner tone="info" title="Only members and admins can open this page">
    Ask an admin of the organization for the role of a member.
  </Banner>
);

import { Banner } from './banner.tsx';

/** Takes the place of a page that only an admin may open. */
export const OnlyAdmins = () => (
  <Banner tone="info" title="Only an admin can open this page">
    Ask an admin of the organization.
  </Banner>
);

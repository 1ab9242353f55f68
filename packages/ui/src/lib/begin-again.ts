import { chooseOrganization } from './organization.ts';

/**
 * Loads the dashboard as a whole, in an organization that the service chooses, so that nothing that was shown or typed
 * by another person, or in an organization that the person has left, stays.
 */
export function beginAgain(): void {
  chooseOrganization(null);
  window.location.assign('/collections');
}

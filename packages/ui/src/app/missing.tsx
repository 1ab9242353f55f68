import { Link } from '@tanstack/react-router';
import { Page } from '../ui/page.tsx';

/** Takes the place of a page when the address has none. */
export function Missing() {
  return (
    <Page title="There is no such page">
      <p className="soft">
        The address may be wrong, or what was here is gone.{' '}
        <Link to="/collections" className="link">
          Go to the collections
        </Link>
      </p>
    </Page>
  );
}

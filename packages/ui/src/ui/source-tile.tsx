import { logos } from 'virtual:source-logos';
import { CalendarDays, Folder, Globe, type LucideIcon, Mail, Upload } from 'lucide-react';

/** Sources that belong to no vendor have a symbol in place of a logo. */
const SYMBOLS: Readonly<Record<string, LucideIcon>> = {
  caldav: CalendarDays,
  files: Folder,
  imap: Mail,
  push: Upload,
  web: Globe,
};

/** Shows the logo of a source, its symbol, or the first letter of its name. The name stands beside it. */
export function SourceTile({
  shortName,
  name,
}: {
  readonly shortName: string;
  readonly name: string;
}) {
  const logo = logos[shortName];
  const Icon = SYMBOLS[shortName];
  return (
    <span className={logo ? 'tile vendor' : 'tile'} aria-hidden="true">
      {logo ? <img src={logo} alt="" /> : Icon ? <Icon size={16} /> : name.slice(0, 1)}
    </span>
  );
}

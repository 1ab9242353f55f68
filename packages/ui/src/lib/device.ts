/** Names the browser and the system of a session, so that a person recognizes it. */
import Bowser from 'bowser';

/** Returns for example "Chrome on Windows". A program that no list knows is named by the text that it sent. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const { browser, os } = Bowser.parse(userAgent);
  if (!browser.name) return userAgent;
  return os.name ? `${browser.name} on ${os.name}` : browser.name;
}

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { codeFor, LANGUAGES, type Language } from '../../lib/code.ts';
import { type Asked, bodyOfSearch } from '../../parts/search/use-answer.ts';
import { Code } from '../../ui/code.tsx';
import { Segments } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';

/** Shows how a program asks the same. */
export function FromCode({
  asked,
  mayMakeKeys,
}: {
  readonly asked: Asked;
  readonly mayMakeKeys: boolean;
}) {
  const [language, setLanguage] = useState<Language>('curl');
  const text = codeFor(language, {
    origin: window.location.origin,
    collection: asked.collection,
    body: bodyOfSearch(asked),
    principals: asked.as,
  });
  return (
    <Card title="The same from code">
      <div className="pad tight">
        <Segments
          label="Language"
          value={language}
          onValue={(value) => setLanguage(value as Language)}
          choices={LANGUAGES}
        />
        <Code text={text} label={`search by ${language}`} />
        <p className="help">
          <code>QUARRY_API_KEY</code> is a key of the API.{' '}
          {mayMakeKeys && (
            <Link to="/keys" className="link">
              Make a key
            </Link>
          )}
        </p>
      </div>
    </Card>
  );
}

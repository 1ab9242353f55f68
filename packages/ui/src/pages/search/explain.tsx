import { useState } from 'react';
import { GROUP_NAMES, shownPartsOf } from '../../lib/explain.ts';
import type { Explanation } from '../../parts/search/use-answer.ts';

const ACCESS: Record<string, string> = {
  organization: 'You see it because everybody in the organization may.',
  public: 'You see it because everybody may.',
};

/** Shows the parts of a score, which add up to it. */
export function Explain({
  explanation,
  score,
}: {
  readonly explanation: Explanation;
  readonly score: number;
}) {
  const [isWhole, setWhole] = useState(false);
  const groups = shownPartsOf(explanation.parts, score);
  const sum = groups.reduce((total, { adds }) => total + Math.max(0, adds), 0);
  const { access } = explanation;
  return (
    <section className="explain" aria-label="Why it stands here">
      <p>
        <strong>Why it stands here</strong>{' '}
        <span className="muted">The parts add up to the score.</span>
      </p>
      <div className="bar" aria-hidden="true">
        {groups
          .filter(({ adds }) => adds > 0)
          .map(({ group, adds }) => (
            <i
              key={group}
              className={`fill-${group}`}
              style={{ width: `${(adds / sum) * 100}%` }}
            />
          ))}
      </div>
      <table>
        <thead className="sr">
          <tr>
            <th>Part</th>
            <th>Adds</th>
          </tr>
        </thead>
        <tbody>
          {isWhole
            ? explanation.parts.map(({ name, value, weight, adds }) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>{' '}
                    <span className="muted">
                      {value.toFixed(3)} × {weight.toFixed(3)}
                    </span>
                  </td>
                  <td className="num">{adds.toFixed(3)}</td>
                </tr>
              ))
            : groups.map(({ group, adds }) => (
                <tr key={group}>
                  <td>
                    <span className={`key fill-${group}`}>{GROUP_NAMES[group]}</span>
                  </td>
                  <td className="num">{adds.toFixed(3)}</td>
                </tr>
              ))}
        </tbody>
        <tfoot>
          <tr>
            <td>Score</td>
            <td className="num">{score.toFixed(3)}</td>
          </tr>
        </tfoot>
      </table>
      <p className="row wrap small muted">
        <span>
          {ACCESS[access.reason] ??
            (access.principal && (
              <>
                It may be seen by <bdi>{access.principal}</bdi>.
              </>
            ))}
        </span>
        <button
          type="button"
          className="link end"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Fewer parts' : `All ${explanation.parts.length} parts`}
        </button>
      </p>
    </section>
  );
}
